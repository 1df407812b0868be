/// A part of the state that several composers share.
///
/// ```swift
/// struct State { @Shared var favorites: Set<Book.ID> = [] }
///
/// @ComposableState var state = State()
/// private let sharing: Sharing<State>
///
/// init(_ favorites: SharedValue<Set<Book.ID>>) { sharing = Sharing(\.$favorites, favorites) }
/// ```
///
/// The part is a plain value: the reducer reads and changes it like the rest of the state. ``Sharing``
/// keeps it equal to a ``SharedValue``.
///
/// The wrapper knows of which write its value is. A state that was created anew, and an old one that is
/// set again, therefore receive the shared value, and do not replace it. Only a write of the property is
/// shared, and none of a state that was created in the same step. Two wrappers are equal when their
/// values are.
@propertyWrapper
public struct Shared<Value: Equatable & Sendable>: Sendable, CustomStringConvertible,
  CustomReflectable
{
  /// The value.
  private(set) var value: Value
  /// The version of the shared value from which `value` was made; nil before the first one.
  private(set) var version: Int?
  /// The value of `version`, when another one was written; nil otherwise.
  private(set) var base: Value?
  /// Whether the property was set, and not only changed in its place.
  private(set) var isAssigned = false

  /// A value that is replaced by the shared one when the state is that of a composer.
  public init(wrappedValue: Value) { value = wrappedValue }

  /// The value; a value that is written is shared after the step.
  public var wrappedValue: Value {
    get { value }
    set {
      if base == nil { base = value }
      value = newValue
      isAssigned = true
    }
    _modify {
      if base == nil { base = value }
      yield &value
    }
  }

  /// This wrapper, for ``Sharing``.
  public var projectedValue: Shared {
    get { self }
    set { self = newValue }
  }

  /// Replaces the value with that of a write.
  mutating func replace(with change: SharedChange<Value>) {
    (value, version) = (change.value, change.version)
    dropWrite()
  }

  /// Replaces the value with a recorded one, which is not written.
  mutating func replace(with value: Value) {
    self.value = value
    dropWrite()
  }

  /// Notes that the written value is the one from before.
  mutating func dropWrite() { (base, isAssigned) = (nil, false) }

  /// The description of the value.
  public var description: String { String(describing: value) }

  /// The value without its version, which is of no use in a test's output or a `dump`.
  public var customMirror: Mirror {
    Mirror(self, children: ["wrappedValue": value], displayStyle: .struct)
  }
}

extension Shared: SharedWrapper {
  fileprivate var isShared: Bool { version != nil }
}

/// A ``Shared`` of any value.
private protocol SharedWrapper {
  /// Whether a ``SharedValue`` has been its value.
  var isShared: Bool { get }
}

/// Returns the name of the first property of `state` that is ``Shared`` and that no ``Sharing`` shares;
/// nil if there is none.
func unsharedProperty(of state: Any) -> String? {
  let found = Mirror(reflecting: state).children.first {
    ($0.value as? any SharedWrapper)?.isShared == false
  }
  return found.map { String(($0.label ?? "").drop { $0 == "_" }) }
}

extension Shared: Equatable {
  /// Whether the values are equal.
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.value == rhs.value }
}

extension Shared: Hashable where Value: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

extension Shared: Encodable where Value: Encodable {
  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

extension Shared: Decodable where Value: Decodable {
  /// Decodes a value that the shared one replaces.
  public init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
}
