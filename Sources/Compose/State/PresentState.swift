import Synchronization

/// A value that is presented each time it is written: an alert, a navigation, a sound.
///
/// Writing the same value again presents it again; reducing an unrelated action does not. Of several
/// writes in one reduction the last is presented.
///
/// Two are equal when their values are, however often they were written.
@propertyWrapper public struct PresentState<Value>: CustomStringConvertible, CustomReflectable {
  private var value: Value
  /// Made anew by every write: identity, unlike a count, survives the state being replaced as a whole.
  private var stamp: PresentStamp?

  /// A value that counts as not written yet.
  public init(wrappedValue: Value) { value = wrappedValue }

  /// The value.
  public var wrappedValue: Value {
    get { value }
    set {
      value = newValue
      stamp = PresentStamp()
    }
  }

  /// Itself: `$alertMessage`.
  public var projectedValue: PresentState<Value> { self }

  /// Whether an observer who was presented `last` must be presented this; remembers it.
  ///
  /// `last` is nil for an observer that has just come.
  func isNews(after last: inout PresentStamp??) -> Bool {
    let isNewcomer = last == nil
    if !isNewcomer, last == .some(stamp) { return false }
    last = .some(stamp)
    let wasSeen = stamp?.isSeen.exchange(true, ordering: .relaxed) ?? false
    return !(isNewcomer && wasSeen)
  }

  /// That of the value.
  public var description: String { String(describing: value) }

  /// The value alone: in what a test or `dump` prints, its writes are of no interest.
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
  /// A value that counts as not written yet.
  public init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}

/// One write; remembers whether somebody was shown it.
final class PresentStamp: Sendable, Equatable {
  let isSeen = Atomic(false)

  static func == (lhs: PresentStamp, rhs: PresentStamp) -> Bool { lhs === rhs }
}
