#if PEERS
import OpenCombine
#endif
import Reactive

/// The observer at the end of every workload: adds up what arrives, and keeps the subscriptions.
@MainActor
final class Tally {
  /// Adds an element; never called by two threads at once.
  let add: @Sendable (Int) -> Void
  fileprivate let sum: Sum
  private let bag = DisposeBag()
  private var others: [AnyObject] = []

  init() {
    let sum = Sum()
    self.sum = sum
    add = opaque { sum.add($0) }
  }

  /// The sum since the last call of `take`.
  func take() -> Int {
    defer { sum.value = 0 }
    return sum.value
  }

  /// Disposes of `subscription` when this is released.
  func keep(_ subscription: any Disposable) { bag.insert(subscription) }

  /// Keeps a peer's subscription.
  func keep(_ subscription: AnyObject) { others.append(subscription) }
}

// `add` is called by one thread at a time, and `take` after that thread has signalled its end.
private final class Sum: @unchecked Sendable {
  @exclusivity(unchecked) var value = 0

  @inline(never) func add(_ element: Int) { value &+= element }
}

extension ObservableType<Int> {
  /// Subscribes a closure that adds the elements.
  @MainActor
  func added(to tally: Tally) -> any Disposable {
    subscribe(onNext: { [sum = tally.sum] in sum.add($0) })
  }
}

#if PEERS
extension Publisher<Int, Never> {
  /// The same for a peer.
  @MainActor
  func added(to tally: Tally) -> AnyCancellable {
    sink(receiveValue: { [sum = tally.sum] in sum.add($0) })
  }
}
#endif
