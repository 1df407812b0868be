#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The path of a file without links, the same for each name of the file.
///
/// Neither the file nor its directories need to exist.
package struct FileLocation: Hashable, Sendable {
  /// The names of the directories, from the root, and of the file.
  private var names: [String] = []

  /// Follows the links in the path of `url`, of which there may be 40, as in the system.
  init(_ url: URL, in files: any FileSystem = SystemFiles()) {
    var links = 0
    var rest = Self.names(in: url.absoluteURL.path)
    while let name = rest.popLast() {
      // The names so far have no links, so that the parent of the last one is the name before it.
      if name == ".." {
        _ = names.popLast()
        continue
      }
      names.append(name)
      guard links < 40, let target = files.target(ofLink: path) else { continue }
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
}
