/// The name and the default of a dependency: an API, a database, a setting.
///
/// ```swift
/// enum LibraryKey: DependencyKey {
///   static let liveValue = Library()
///
///   static func testValue(in test: RunningTest) -> Library? {
///     Library(titles: test.unimplemented("Library.titles"))
///   }
/// }
///
/// extension Dependencies {
///   var library: Library {
///     get { self[LibraryKey.self] }
///     set { self[LibraryKey.self] = newValue }
///   }
/// }
/// ```
public protocol DependencyKey<Value>: SendableMetatype {
  /// The type of the dependency.
  associatedtype Value: Sendable

  /// The value in a program that injects no other one.
  ///
  /// It is read again each time that the dependency is read: declare it with `static let`.
  static var liveValue: Value { get }

  /// Returns the value in a test that injects no other one; called once for each test.
  ///
  /// Other threads that read the dependency meanwhile wait. It may read other dependencies, and must
  /// not wait for a thread that reads this one.
  ///
  /// Most often it is made of ``RunningTest/unimplemented(_:)``, so that the test fails when it
  /// calls the dependency. A value that is the same in a program and in a test is `liveValue`.
  ///
  /// With nil, the default, a test that reads the dependency without injecting it fails, and
  /// receives the live value.
  static func testValue(in test: RunningTest) -> Value?
}

extension DependencyKey {
  /// Returns nil: a test must inject the dependency.
  public static func testValue(in test: RunningTest) -> Value? { nil }
}

/// Values by their keys.
struct DependencyTable: Sendable {
  private var boxes: [ObjectIdentifier: any AnyObject & Sendable] = [:]

  /// The value of `key`; nil when there is none.
  subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value? {
    get {
      // A key has one type of value.
      boxes[ObjectIdentifier(key)].map {
        unsafeDowncast($0, to: DependencyBox<Key.Value>.self).value
      }
    }
    set { boxes[ObjectIdentifier(key)] = newValue.map(DependencyBox.init) }
  }
}

private final class DependencyBox<Value: Sendable>: Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
