import Synchronization

/// A value that is presented each time it is written: an alert, a navigation, a sound.
///
/// Writing the same value again presents it again. An action that does not write it does not
/// present it. Of several writes in one reduction the last one is presented.
///
/// A new observer is presented the current value, unless another observer has received this write. A
/// value that was never written is presented to every new observer.
///
/// Two wrappers are equal when their values are equal; the number of writes does not matter.
@propertyWrapper public struct PresentState<Value>: CustomStringConvertible, CustomReflectable {
  private var value: Value
  /// Identifies the last write.
  ///
  /// An object's identity, unlike a counter, is still unique after the whole state was replaced.
  private(set) var stamp: PresentStamp?

  /// Sets the initial value, which is presented to every new observer until the first write.
  public init(wrappedValue: Value) { value = wrappedValue }

  /// The value.
  public var wrappedValue: Value {
    get { value }
    set {
      value = newValue
      stamp = PresentStamp()
    }
  }

  /// This wrapper, for `present(\.$alertMessage)`.
  public var projectedValue: PresentState<Value> { self }

  /// Notes that an observer receives the current write, and returns whether it must be presented.
  ///
  /// - Parameter last: the last write that the observer has received; nil before its first state,
  ///   and `.some(nil)` for a value that was not written
  func claimPresentation(after last: inout PresentStamp??) -> Bool {
    let isFirstState = last == nil
    if !isFirstState, last == .some(stamp) { return false }
    last = .some(stamp)
    let wasReceived = stamp?.isReceived.exchange(true, ordering: .relaxed) ?? false
    return !(isFirstState && wasReceived)
  }

  /// The description of the value.
  public var description: String { String(describing: value) }

  /// The value without the identity of its write, which is of no use in a test's output or a
  /// `dump`.
  public var customMirror: Mirror {
    Mirror(self, children: ["wrappedValue": value], displayStyle: .struct)
  }
}

extension PresentState: Sendable where Value: Sendable {}

extension PresentState: Equatable where Value: Equatable {
  /// Whether the values are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.value == rhs.value }
}

extension PresentState: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension PresentState: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension PresentState: Decodable where Value: Decodable {
  /// Decodes a value that counts as not written.
  public init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

/// Identifies one write, and records whether an observer has received it.
final class PresentStamp: Sendable, Equatable {
  let isReceived = Atomic(false)

  static func == (lhs: PresentStamp, rhs: PresentStamp) -> Bool { lhs === rhs }
}
