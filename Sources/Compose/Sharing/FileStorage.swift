#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps a value in a file, as JSON with a version.
///
/// ```swift
/// let settings = SharedValue(
///   Settings(),
///   keptIn: FileStorage(url, version: 2) { old in
///     Settings(name: try old.decode(SettingsV1.self).title)
///   })
/// ```
///
/// A save writes another file beside it, flushes that to the disk and renames it: after a crash or a
/// power failure the file has the old value or the new one. The directory must exist. The file keeps its
/// permissions; a new one can be read and written by its owner only. The other file is named
/// `.<hash>.<id>.saving`; what a crash leaves of it is removed when the file is used again.
///
/// | the file | is loaded as | afterwards |
/// | --- | --- | --- |
/// | does not exist | nothing | is created by the first save |
/// | has this version | its value | is replaced by each save |
/// | has an older version | the value that `migrate` returns | is replaced by the next save |
/// | has a newer version, or cannot be migrated or read | an error | stays; each save fails until it is loaded |
/// | is used by another `FileStorage` or ``SharedValue`` of the process | an error | stays; each save fails until it is loaded |
/// | is no JSON of the value | an error | is renamed (`.corrupt` is appended), then as if it did not exist |
///
/// A link to the file is followed, also to one that does not exist yet, and remains. Two processes that
/// keep values in one file replace each other's.
public final class FileStorage<Value: Codable & Sendable>: ValueStorage {
  /// The content of the file.
  private struct Content<Stored: Codable>: Codable {
    var version: Int
    var value: Stored
  }

  private struct Version: Decodable { let version: Int }

  /// A stored value of an older version.
  public struct OldValue {
    /// The version with which it was stored.
    public let version: Int
    fileprivate let data: Data

    /// Decodes the value as the type that it had in ``version``.
    public func decode<Old: Codable>(_ type: Old.Type) throws -> Old {
      try JSONDecoder().decode(Content<Old>.self, fromForeign: data).value
    }
  }

  private let files: any FileSystem
  private let location: FileLocation
  private var path: String { location.path }
  private let version: Int
  private let migrate: @Sendable (OldValue) throws -> Value
  private let state = Locked(State())

  private struct State {
    /// Why the file must not be replaced.
    var refusal: FileStorageError?
    /// Whether this object is the only one that uses the file.
    var isOwner = false
    /// Whether the value is loaded, or is being loaded.
    var isLoaded = false
  }

  /// A file.
  ///
  /// - Parameters:
  ///   - url: URL of a file in an existing directory.
  ///   - version: version of `Value`; 1 by default. Increase it when a stored value can no longer be
  ///     decoded.
  ///   - migrate: returns a stored value of an older version as one of this version. By default it is
  ///     decoded as `Value`.
  public init(
    _ url: URL, version: Int = 1,
    migrate: @escaping @Sendable (_ old: OldValue) throws -> Value = { try $0.decode(Value.self) }
  ) {
    // A rename would replace a link, and not the file that it names.
    files = currentFileSystem
    location = FileLocation(url, in: files)
    (self.version, self.migrate) = (version, migrate)
  }

  deinit { if state.withLock({ $0.isOwner }) { files.disown(location) } }

  /// Returns the value in the file; nil when there is no file.
  ///
  /// It is loaded once: two ``SharedValue``s of one storage would replace each other's.
  ///
  /// - Throws: ``FileStorageError``.
  public func load() throws -> Value? {
    let isSecond = state.withLock { state in
      defer { state.isLoaded = true }
      return state.isLoaded
    }
    if isSecond { throw FileStorageError.inUse(path: path) }
    do throws(FileStorageError) {
      try own()
      let value = try stored()
      state.withLock { $0.refusal = nil }
      return value
    } catch {
      state.withLock { state in
        state.isLoaded = false
        // The renamed file is safe from a save.
        if case .corrupt = error { state.refusal = nil } else { state.refusal = error }
      }
      throw error
    }
  }

  /// Makes this object the only one that uses the file.
  private func own() throws(FileStorageError) {
    let isNew = try state.withLock { state throws(FileStorageError) in
      if state.isOwner { return false }
      if !files.own(location) { throw .inUse(path: path) }
      state.isOwner = true
      return true
    }
    if isNew { DurableFile.removeUnfinishedSaves(of: location, in: files) }
  }

  private func stored() throws(FileStorageError) -> Value? {
    let data: Data
    do {
      guard let contents = try files.contents(of: path) else { return nil }
      data = contents
    } catch {
      throw .unreadable(path: path, reason: "\(error)")
    }
    let found: Int
    do {
      found = try JSONDecoder().decode(Version.self, fromForeign: data).version
    } catch {
      throw setAside("\(error)")
    }
    if found > version { throw .newerVersion(path: path, found: found, supported: version) }
    do {
      if found == version {
        return try JSONDecoder().decode(Content<Value>.self, fromForeign: data).value
      }
    } catch {
      throw setAside("\(error)")
    }
    do {
      return try migrate(OldValue(version: found, data: data))
    } catch {
      throw .notMigrated(path: path, version: found, reason: "\(error)")
    }
  }

  /// Renames the corrupt file, so that no save replaces it.
  private func setAside(_ reason: String) -> FileStorageError {
    var copy = path + ".corrupt"
    var number = 1
    while files.exists(copy) {
      number += 1
      copy = "\(path).corrupt\(number)"
    }
    do {
      try files.rename(path, to: copy)
    } catch {
      return .unreadable(path: path, reason: "it is corrupt and cannot be renamed; \(reason)")
    }
    return .corrupt(path: path, movedTo: copy, reason: reason)
  }

  /// Replaces the value in the file.
  ///
  /// - Throws: ``FileStorageError``.
  public func save(_ value: Value) throws {
    if state.withLock({ $0.isOwner == false && $0.refusal == nil }) {
      do { try own() } catch { state.withLock { $0.refusal = error } }
    }
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
    let data: Data
    do {
      data = try JSONEncoder().encode(Content(version: version, value: value))
    } catch {
      throw FileStorageError.notEncoded(path: path, reason: "\(error)")
    }
    do {
      try DurableFile.replace(location, with: data, in: files)
    } catch {
      throw FileStorageError.unwritable(path: path, reason: error.description)
    }
  }
}

/// Why ``FileStorage`` has not loaded or saved a value.
public enum FileStorageError: Error, Equatable, CustomStringConvertible {
  /// The file is no JSON of the value. It was renamed, and the program goes on without a stored
  /// value: repair the renamed file, or delete it.
  case corrupt(path: String, movedTo: String, reason: String)
  /// A newer version of the program has written the file. It is neither read nor replaced: update the
  /// program.
  case newerVersion(path: String, found: Int, supported: Int)
  /// Another `FileStorage` of the process, or another ``SharedValue`` with the same one, uses the file,
  /// which is neither read nor replaced by this one: share one ``SharedValue``, or release the other one
  /// and its storage before.
  case inUse(path: String)
  /// `migrate` has failed. The file is not replaced: correct `migrate`.
  case notMigrated(path: String, version: Int, reason: String)
  /// The value cannot be encoded as JSON, and the file has its old content: correct its `encode(to:)`,
  /// or the value, such as a number that is not finite.
  case notEncoded(path: String, reason: String)
  /// The file exists and cannot be read. It is not replaced: check its permissions.
  case unreadable(path: String, reason: String)
  /// The file cannot be written, and has its old content: check that its directory exists and is
  /// writable, and the space on the disk.
  case unwritable(path: String, reason: String)

  /// One sentence on what is wrong and one on what to do.
  public var description: String {
    switch self {
    case .corrupt(let path, let copy, let reason):
      "\(path) is corrupt (\(reason)) and was renamed to \(copy). Repair that file, or delete it."
    case .newerVersion(let path, let found, let supported):
      "\(path) has version \(found), and this program knows versions up to \(supported). "
        + "Update the program; until then the file is not replaced."
    case .inUse(let path):
      "\(path) is used by another FileStorage or SharedValue, and this one does not replace it. "
        + "Share the SharedValue of the other one, or release it and its storage before."
    case .notEncoded(let path, let reason):
      "The value for \(path) cannot be encoded: \(reason). Correct the value, or its encode(to:)."
    case .notMigrated(let path, let version, let reason):
      "\(path) has version \(version), and migrate failed with \(reason). "
        + "Correct migrate; until then the file is not replaced."
    case .unreadable(let path, let reason):
      "\(path) cannot be read: \(reason). Check its permissions; until then the file is not replaced."
    case .unwritable(let path, let reason):
      "\(path) cannot be written: \(reason). Check that its directory exists and is writable, and the "
        + "space on the disk."
    }
  }
}
