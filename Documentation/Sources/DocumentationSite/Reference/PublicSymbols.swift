import Foundation

/// A public function or property of a module.
package struct PublicSymbol: Hashable, Sendable {
  /// The type that it is a member of: "ObservableType".
  package let type: String
  /// The name with its labels: "take(until:)".
  package let title: String

  /// The functions and properties of a module's types, from its symbol graphs in a folder.
  package static func all(in folder: URL) throws -> Set<PublicSymbol> {
    struct Graph: Decodable {
      struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Names: Decodable { let title: String }
        let kind: Kind
        let identifier: Identifier
        let names: Names
        let pathComponents: [String]
      }
      let symbols: [Symbol]
    }
    let kinds: Set = ["swift.method", "swift.type.method", "swift.property"]
    var found: Set<PublicSymbol> = []
    for file in try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    {
      let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file))
      for symbol in graph.symbols where kinds.contains(symbol.kind.identifier) {
        let type = symbol.pathComponents.dropLast().joined(separator: ".")
        found.insert(PublicSymbol(type: type, title: symbol.names.title))
      }
    }
    return found
  }
}
