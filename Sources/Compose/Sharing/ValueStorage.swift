/// A place in which a ``SharedValue`` is kept: ``FileStorage``, ``MemoryStorage`` or one of your own.
///
/// ```swift
/// struct RowStorage: ValueStorage {
///   let database: Database
///   func load() throws -> Settings? { try database.row("settings")?.decode() }
///   func save(_ settings: Settings) throws { try database.write(settings, to: "settings") }
/// }
/// ```
///
/// Both methods block, and are called by one thread at a time. They must not wait for another thread
/// that calls ``SharedValue/flush()``.
public protocol ValueStorage<Value>: Sendable {
  /// The type of the value.
  associatedtype Value: Sendable

  /// Returns the stored value; nil when none was stored.
  ///
  /// Called when the ``SharedValue`` is created, on the thread that creates it, and not again after it
  /// has returned.
  ///
  /// After it has thrown an error, it is called before each save, on the thread that saves. Until it
  /// returns, nothing is saved: a value that cannot be loaded now, as from a database that is locked, is
  /// not replaced. Of a stored value that can never be loaded, a storage keeps a copy, throws once, and
  /// then returns nil.
  func load() throws -> Value?

  /// Stores `value` in place of the stored one.
  func save(_ value: Value) throws
}

/// Keeps a value in memory: for tests and previews.
///
/// ```swift
/// let storage = MemoryStorage(Settings(sound: false))
/// let settings = SharedValue(Settings(), keptIn: storage)
/// ...
/// #expect(storage.value == Settings(sound: true))
/// ```
public final class MemoryStorage<Value: Sendable>: ValueStorage {
  private let stored: Locked<Value?>

  /// A storage that has stored `value`; nothing by default.
  public init(_ value: Value? = nil) { stored = Locked(value) }

  /// The stored value; nil for none.
  public var value: Value? { stored.withLock { $0 } }

  /// Returns the stored value.
  public func load() -> Value? { value }

  /// Stores `value`.
  public func save(_ value: Value) { _ = stored.replace(with: value) }
}
