import Foundation

/// The costs of others as a multiple of ours, on a logarithmic scale: cheaper left of the line, more
/// expensive right of it.
struct RatioChart {
  struct Mark {
    let timesOurs: Double
    let paint: Drawing.Paint
    let isQuoted: Bool
  }

  enum Row {
    /// A workload, and what ours costs; its bars follow.
    case heading(String, cost: String)
    /// Another library, by name.
    case bar(String, Mark)
    /// A workload, what ours costs, and all others.
    case dots(String, cost: String, [Mark])

    var marks: [Mark] {
      switch self {
      case .heading: []
      case .bar(_, let mark): [mark]
      case .dots(_, _, let marks): marks
      }
    }
  }

  /// What a mark stands for.
  struct Legend {
    let label: String
    let paint: Drawing.Paint
    var isQuoted = false
  }

  let title: String
  let subtitle: String
  let rows: [Row]
  /// What the dots stand for.
  var legend: [Legend] = []

  private static let width = 860.0
  private static let plot = (left: 250.0, right: 810.0)
  private static let rowHeight = 20.0
  private static let legendHeight = 20.0

  var svg: String {
    let legend = legendLines
    let top = 84.0 + Double(legend.count) * Self.legendHeight
    let bottom = top + Double(rows.count) * Self.rowHeight
    var drawing = Drawing(width: Self.width, height: bottom + 34, title: title)
    drawing.text(title, 20, 28, size: 16, isBold: true)
    drawing.text(subtitle, 20, 47, .faint)
    for (index, line) in legend.enumerated() {
      drawLegend(&drawing, line, y: 65 + Double(index) * Self.legendHeight)
    }
    let scale = scale
    drawAxis(&drawing, scale, top: top, bottom: bottom)
    for (index, row) in rows.enumerated() {
      draw(row, &drawing, scale, y: top + (Double(index) + 0.5) * Self.rowHeight)
    }
    return drawing.svg
  }

  /// The powers of ten that hold all values.
  private var decades: ClosedRange<Int> {
    let values = rows.flatMap { $0.marks.map(\.timesOurs) }.filter { $0 > 0 && $0.isFinite }
    let least = Int(log10(min(values.min() ?? 1, 0.5)).rounded(.down))
    return least...max(1, Int(log10(values.max() ?? 10).rounded(.up)))
  }

  private var scale: (Double) -> Double {
    let decades = decades
    let width = (Self.plot.right - Self.plot.left) / Double(decades.count - 1)
    return { Self.plot.left + (log10($0) - Double(decades.lowerBound)) * width }
  }

  /// As many entries in a line as fit.
  private var legendLines: [[Legend]] {
    var lines: [[Legend]] = []
    var room = 0.0
    for entry in legend {
      let width = Self.width(of: entry)
      if width > room {
        lines.append([])
        room = Self.width - 24
      }
      lines[lines.count - 1].append(entry)
      room -= width
    }
    return lines
  }

  private static func width(of entry: Legend) -> Double { 30 + Double(entry.label.count) * 7.2 }

  private func drawLegend(_ drawing: inout Drawing, _ line: [Legend], y: Double) {
    var x = 24.0
    for entry in line {
      drawing.mark(x, y, entry.paint, isHollow: entry.isQuoted)
      drawing.text(entry.label, x + 9, y + 4, .ink)
      x += Self.width(of: entry)
    }
  }

  private func drawAxis(
    _ drawing: inout Drawing,
    _ scale: (Double) -> Double,
    top: Double,
    bottom: Double
  ) {
    for decade in decades {
      let x = scale(pow(10, Double(decade)))
      drawing.line(
        (x, top - 4), (x, bottom), decade == 0 ? .ours : .grid, width: decade == 0 ? 2 : 1)
      let label = decade == 0 ? "ours" : pow(10, Double(decade)).ratio(1) + "×"
      drawing.text(
        label, x, bottom + 18, decade == 0 ? .ours : .faint, anchor: .middle, isBold: decade == 0)
    }
    drawing.text("← cheaper than ours", scale(1) - 8, top - 9, .faint, anchor: .end)
    drawing.text("dearer than ours →", scale(1) + 8, top - 9, .faint)
  }

  private func draw(
    _ row: Row,
    _ drawing: inout Drawing,
    _ scale: (Double) -> Double,
    y: Double
  ) {
    let (name, cost) = (Self.plot.left - 78, Self.plot.left - 12)
    switch row {
    case .heading(let label, let ours):
      drawing.text(label, 20, y + 4, isBold: true)
      drawing.text(ours, cost, y + 4, .ours, anchor: .end)
    case .bar(let label, let mark):
      drawing.text(label, name, y + 4, .faint, anchor: .end)
      let end = scale(mark.timesOurs)
      drawing.bar(
        from: scale(1), to: end, y - 5.5, height: 11, mark.paint, isHollow: mark.isQuoted)
      let isLeft = mark.timesOurs < 1
      drawing.text(
        mark.timesOurs.ratio(2) + "×", end + (isLeft ? -5 : 5), y + 4,
        anchor: isLeft ? .end : .start, size: 11)
    case .dots(let label, let ours, let marks):
      drawing.text(label, name, y + 4, .faint, anchor: .end)
      drawing.text(ours, cost, y + 4, .ours, anchor: .end)
      let all = marks.map(\.timesOurs) + [1]
      drawing.line((scale(all.min() ?? 1), y), (scale(all.max() ?? 1), y), .grid, width: 3)
      drawing.mark(scale(1), y, .ours)
      for mark in marks {
        drawing.mark(scale(mark.timesOurs), y, mark.paint, isHollow: mark.isQuoted)
      }
    }
  }
}
