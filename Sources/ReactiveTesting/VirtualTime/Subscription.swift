/// The times at which a testable observable was subscribed and the subscription was disposed of.
public struct Subscription: Hashable, Sendable {
  /// The time of the subscription.
  public let subscribe: TestTime
  /// The time of the disposal; `TestTime.max` while the subscription is not disposed of.
  public let unsubscribe: TestTime

  /// A subscription that has not been disposed of.
  public init(_ subscribe: TestTime) { self.init(subscribe, .max) }

  /// A subscription from `subscribe` to `unsubscribe`.
  public init(_ subscribe: TestTime, _ unsubscribe: TestTime) {
    self.subscribe = subscribe
    self.unsubscribe = unsubscribe
  }
}

extension Subscription: CustomDebugStringConvertible {
  /// `(200 : 1000)`, or `(200 : Infinity)` while it has not been disposed of.
  public var debugDescription: String {
    "(\(subscribe) : \(unsubscribe == .max ? "Infinity" : "\(unsubscribe)"))"
  }
}
