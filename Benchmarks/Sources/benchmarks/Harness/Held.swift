import Reactive

/// Subscriptions that live until the end of a batch.
@MainActor
final class Held {
  private var subscriptions: [any Disposable] = []

  /// Reserves the capacity, so that the list is not part of the measured memory.
  init(_ count: Int) { subscriptions.reserveCapacity(count) }

  func add(_ subscription: any Disposable) { subscriptions.append(subscription) }

  func dispose() {
    for subscription in subscriptions { subscription.dispose() }
    subscriptions.removeAll(keepingCapacity: true)
  }
}
