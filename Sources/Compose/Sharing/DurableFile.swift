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

/// Replaces files as a whole, on the disk.
enum DurableFile {
  /// Writes `data` to another file, flushes that to the disk and renames it to `path`.
  ///
  /// When this throws, the file at `path` has its old content.
  static func replace(_ path: String, with data: Data) throws(SystemCallError) {
    // Another thread or process may save the same file.
    let temporary = "\(path).saving-\(UUID())"
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
    flushNames(ofDirectoryOf: path)
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
  private static func flushNames(ofDirectoryOf path: String) {
    let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
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
