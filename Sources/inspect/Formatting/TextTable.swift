/// Aligns cells in columns.
enum TextTable {
  struct Column: Equatable, Sendable {
    let title: String
    let isAtRight: Bool

    static func left(_ title: String) -> Column { Column(title: title, isAtRight: false) }

    static func right(_ title: String) -> Column { Column(title: title, isAtRight: true) }
  }

  /// The line of the titles, and a line for each row.
  static func lines(_ columns: [Column], _ rows: [[String]]) -> (head: String, rows: [String]) {
    let titles = columns.map(\.title)
    let widths = columns.indices.map { column in
      ([titles] + rows).map { $0[column].columns }.max() ?? 0
    }
    func line(_ cells: [String]) -> String {
      let aligned = cells.indices.map { index in
        if columns[index].isAtRight { return cells[index].right(widths[index]) }
        return index == cells.count - 1 ? cells[index] : cells[index].left(widths[index])
      }
      let line = aligned.joined(separator: "  ")
      return String(
        line[..<(line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex)])
    }
    return (line(titles), rows.map(line))
  }
}
