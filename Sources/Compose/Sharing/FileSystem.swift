#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The calls of the system by which ``FileStorage`` keeps a file: those of the machine, or of a simulated one.
package protocol FileSystem: Sendable {
  /// A name of the running program that no other one has, also after it.
  var programID: String { get }

  /// Creates a file that only its owner can read and write, or one with the permissions of another file.
  ///
  /// - Parameters:
  ///   - path: path of a file that does not exist.
  ///   - model: path of a file whose permissions are taken over, if it exists.
  func create(_ path: String, like model: String) throws(SystemCallError) -> any FileToWrite

  /// Gives a file another name, in place of a file that has it.
  func rename(_ path: String, to newPath: String) throws(SystemCallError)

  /// Flushes the names of a directory to the disk, as far as the file system can.
  func flushNames(of directory: String)

  /// Removes a file, if it exists.
  func remove(_ path: String)

  func names(in directory: String) -> [String]

  func exists(_ path: String) -> Bool

  /// The content of a file; nil when there is none.
  func contents(of path: String) throws -> Data?

  /// The path that a link has; nil for what is no link.
  func target(ofLink path: String) -> String?

  /// Makes the caller the only one in the program that uses the file; returns false when another one does.
  func own(_ location: FileLocation) -> Bool

  /// Ends the use of a file.
  func disown(_ location: FileLocation)
}

/// A file that is being written; closed when it is released.
package protocol FileToWrite {
  /// Writes all of `data` behind what was written before.
  func write(_ data: Data) throws(SystemCallError)

  /// Returns when the content is on the disk.
  func flush() throws(SystemCallError)
}

/// A simulated machine with files.
package protocol HostFiles: AnyObject {
  var files: any FileSystem { get }
}

/// The file system of the code that runs: that of the simulated host, or of the machine.
var currentFileSystem: any FileSystem {
  guard let host = HostSystem.current?.services as? any HostFiles else { return SystemFiles() }
  return host.files
}

/// A failed call of the system.
package struct SystemCallError: Error, CustomStringConvertible {
  package let description: String

  package init(_ call: String, _ reason: String) { description = "\(call): \(reason)" }
}
