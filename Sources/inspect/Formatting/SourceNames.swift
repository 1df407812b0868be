/// The names of composers and sockets, and the width of their column.
struct SourceNames: Equatable, Sendable {
  private let names: [Int: String]
  let width: Int

  init(_ composers: [ComposerInfo], _ sockets: [SocketInfo] = []) {
    let sources = composers.map { ($0.composer, $0.name) } + sockets.map { ($0.socket, $0.name) }
    // Those with the same name are told apart by their numbers.
    let byName = Dictionary(grouping: sources, by: \.1)
    names = Dictionary(
      sources.map { number, name in
        let isUnique = byName[name]?.count == 1
        return (number, isUnique ? name.visible : "\(name.visible)#\(number)")
      }, uniquingKeysWith: { $1 })
    width = min(24, names.values.map(\.columns).max() ?? 0)
  }

  func knows(_ row: Row) -> Bool { names[row.owner] != nil }

  /// The name of the composer or socket of a row.
  subscript(row: Row) -> String {
    names[row.owner] ?? row.socket.map { "socket \($0)" } ?? self[row.owner]
  }

  /// The name of a composer or socket, `composer 7` when it is not known.
  subscript(number: Int) -> String { names[number] ?? "composer \(number)" }
}
