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

/// The file system of the machine.
struct SystemFiles: FileSystem {
  private static let id = UUID().uuidString
  private static let used = Locked<Set<FileLocation>>([])

  // In a directory that others can write to, they could create a file whose name they foresee.
  var programID: String { Self.id }

  func own(_ location: FileLocation) -> Bool {
    Self.used.withLock { $0.insert(location).inserted }
  }

  func disown(_ location: FileLocation) { Self.used.withLock { _ = $0.remove(location) } }

  func create(_ path: String, like model: String) throws(SystemCallError) -> any FileToWrite {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .last("open") }
    let file = SystemFile(descriptor)
    var status = stat()
    if stat(model, &status) == 0, fchmod(descriptor, status.st_mode & 0o7777) != 0 {
      throw .last("fchmod")
    }
    return file
  }

  func rename(_ path: String, to newPath: String) throws(SystemCallError) {
    #if canImport(Glibc)
    let result = Glibc.rename(path, newPath)
    #elseif canImport(Musl)
    let result = Musl.rename(path, newPath)
    #else
    let result = Darwin.rename(path, newPath)
    #endif
    guard result == 0 else { throw .last("rename") }
  }

  /// Not all file systems can do this; the content is safe.
  func flushNames(of directory: String) {
    let descriptor = open(directory, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }

  func remove(_ path: String) { unlink(path) }

  func names(in directory: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
  }

  func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  func contents(of path: String) throws -> Data? {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      if access(path, F_OK) != 0, errno == ENOENT { return nil }
      throw error
    }
  }

  func target(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

private final class SystemFile: FileToWrite {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  func write(_ data: Data) throws(SystemCallError) {
    var rest = data[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in
        #if canImport(Glibc)
        Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #elseif canImport(Musl)
        Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
        Darwin.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .last("write") }
      rest = rest.dropFirst(count)
    }
  }

  func flush() throws(SystemCallError) {
    #if canImport(Darwin)
    // `fsync` leaves the content in the cache of the drive.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(descriptor) == 0 else { throw .last("fsync") }
  }
}

extension SystemCallError {
  /// The error of the call that the thread has made last.
  fileprivate static func last(_ call: String) -> SystemCallError {
    SystemCallError(call, String(cString: strerror(errno)))
  }
}
