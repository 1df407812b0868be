/// When a testable observable was subscribed and when that subscription was disposed of.
public struct Subscription: Hashable, Sendable {
  /// When it was subscribed.
  public let subscribe: TestTime
  /// When it was disposed of; the largest time there is while it has not been.
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
