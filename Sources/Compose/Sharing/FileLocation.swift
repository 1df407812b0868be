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

/// The path of a file without links, the same for each name of the file.
///
/// Neither the file nor its directories need to exist.
struct FileLocation: Hashable, Sendable {
  /// The names of the directories, from the root, and of the file.
  private var names: [String] = []

  /// Follows the links in the path of `url`, of which there may be 40, as in the system.
  init(_ url: URL) {
    var links = 0
    var rest = Self.names(in: url.absoluteURL.path)
    while let name = rest.popLast() {
      // The names so far have no links, so that the parent of the last one is the name before it.
      if name == ".." {
        _ = names.popLast()
        continue
      }
      names.append(name)
      guard links < 40, let target = Self.target(ofLink: path) else { continue }
      links += 1
      names.removeLast()
      if target.hasPrefix("/") { names = [] }
      rest += Self.names(in: target)
    }
  }

  /// The absolute path.
  var path: String { "/" + names.joined(separator: "/") }

  /// The path of the directory.
  var directory: String { "/" + names.dropLast().joined(separator: "/") }

  /// The path of another file in the directory.
  func sibling(_ name: String) -> String {
    names.count > 1 ? "\(directory)/\(name)" : "/\(name)"
  }

  /// The name of the file.
  var name: String { names.last ?? "" }

  /// The names in a path, the last one first.
  private static func names(in path: String) -> [String] {
    path.split(separator: "/").filter { $0 != "." }.reversed().map(String.init)
  }

  private static func target(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
