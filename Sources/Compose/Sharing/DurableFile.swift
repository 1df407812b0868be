#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

import Synchronization

/// Replaces files as a whole, on the disk.
enum DurableFile {
  // Two processes may save one file at the same time. In a directory that others can write to, they
  // could have created a file whose name they foresee.
  private static let process = UUID().uuidString
  private static let saveCount = Atomic(0)

  /// Writes `data` to another file, flushes that to the disk and renames it to `location`.
  ///
  /// When this throws, the file at `location` has its old content.
  static func replace(_ location: FileLocation, with data: Data) throws(SystemCallError) {
    let number = saveCount.wrappingAdd(1, ordering: .relaxed).newValue
    let temporary = location.sibling(
      "\(savePrefix(of: location))\(process).\(number)\(saveSuffix)")
    let path = location.path
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw SystemCallError("open") }
    do throws(SystemCallError) {
      defer { close(file) }
      try keepPermissions(of: path, file)
      try writeAll(data, to: file)
      try flush(file)
      guard rename(temporary, path) == 0 else { throw SystemCallError("rename") }
    } catch {
      unlink(temporary)
      throw error
    }
    flushNames(of: location.directory)
  }

  /// Removes the files that saves of other processes have left in the directory, by a crash.
  ///
  /// A save that another process is just making fails.
  static func removeUnfinishedSaves(of location: FileLocation) {
    let prefix = savePrefix(of: location)
    let names = try? FileManager.default.contentsOfDirectory(atPath: location.directory)
    for name in names ?? [] where name.hasPrefix(prefix) && name.hasSuffix(saveSuffix) {
      if !name.hasPrefix(prefix + process) { unlink(location.sibling(name)) }
    }
  }

  private static let saveSuffix = ".saving"

  /// The beginning of the names of the files that are written for `location`.
  ///
  /// The file's own name may be as long as the system allows, so that they have its hash: FNV-1a,
  /// which is the same in each process.
  private static func savePrefix(of location: FileLocation) -> String {
    let hash = location.name.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 1_099_511_628_211
    }
    return ".\(String(hash, radix: 16))."
  }

  private static func keepPermissions(of path: String, _ file: Int32) throws(SystemCallError) {
    var status = stat()
    guard stat(path, &status) == 0 else { return }
    guard fchmod(file, status.st_mode & 0o7777) == 0 else { throw SystemCallError("fchmod") }
  }

  private static func writeAll(_ data: Data, to file: Int32) throws(SystemCallError) {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemCallError("write") }
      rest = rest.dropFirst(count)
    }
  }

  private static func flush(_ file: Int32) throws(SystemCallError) {
    #if canImport(Darwin)
    // `fsync` leaves the content in the cache of the drive.
    if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(file) == 0 else { throw SystemCallError("fsync") }
  }

  /// Flushes the new name; the content is safe, and not all file systems can do this.
  private static func flushNames(of directory: String) {
    let file = open(directory, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = fsync(file)
    close(file)
  }
}

/// A failed call of the system.
struct SystemCallError: Error, CustomStringConvertible {
  let description: String

  init(_ call: String) { description = "\(call): \(String(cString: strerror(errno)))" }
}
