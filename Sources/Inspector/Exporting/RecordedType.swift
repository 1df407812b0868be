#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The name of the composer's type in the first entry of a file.
///
/// It stands beside what `Timeline(jsonLines:)` reads, which ignores it.
enum RecordedType {
  /// The path of the name in the line of the entry.
  static let path = ["composer"]

  private struct Entry: Decodable { let composer: String }

  /// The name in a line; nil without one, and for a text that is no name: it becomes a part of tests.
  static func name(in line: Data) -> String? {
    guard let name = try? JSONDecoder().decode(Entry.self, from: line).composer,
      name.utf8.count <= 500, name.first?.isLetter == true || name.first == "_",
      name.allSatisfy({ $0.isLetter || $0.isNumber || "_.<>, ".contains($0) })
    else { return nil }
    return name
  }
}
