import Foundation

/// What an operation costs at several sizes, both on logarithmic scales: what is linear is a straight
/// line that rises as the grid's diagonal, what is flat is level.
struct CurveChart {
  let found: CurveFound

  private static let width = 860.0
  private static let height = 400.0
  private static let plot = (left: 84.0, right: 660.0, top: 78.0, bottom: 350.0)

  var svg: String {
    var drawing = Drawing(width: Self.width, height: Self.height, title: found.summary)
    drawing.text(found.summary, 20, 28, size: 16, isBold: true)
    drawing.text("ours is \(found.sentence)", 20, 48, .ours)
    drawAxes(&drawing)
    var lowest = -Double.infinity
    for (name, points) in lines {
      drawing.path(
        points.map { (x($0.size), y($0.nanoseconds)) }, name.paint, width: name == .ours ? 3 : 1.8)
      for point in points { drawing.mark(x(point.size), y(point.nanoseconds), name.paint) }
      guard let last = points.last else { continue }
      let label = "\(name.title), \(Growth.time(last.nanoseconds))"
      // A line that ends early has its label there; the others' are apart enough to be read.
      let isWhole = last.size == sizes.last
      let height = isWhole ? max(y(last.nanoseconds), lowest + 15) : y(last.nanoseconds) + 16
      if isWhole { lowest = height }
      drawing.text(label, x(last.size) + 12, height + 4, name.paint, isBold: name == .ours)
    }
    return drawing.svg
  }

  /// From the highest end to the lowest.
  private var lines: [(name: Contender.Name, points: [CurveFound.Point])] {
    Contender.Name.allCases
      .compactMap { name in found.costs[name].map { (name, $0) } }
      .sorted { ($0.1.last?.nanoseconds ?? 0) > ($1.1.last?.nanoseconds ?? 0) }
  }

  private func drawAxes(_ drawing: inout Drawing) {
    let (left, right, top, bottom) = Self.plot
    for decade in decades {
      let y = y(pow(10, Double(decade)))
      drawing.line((left, y), (right, y), .grid)
      drawing.text(Growth.time(pow(10, Double(decade))), left - 10, y + 4, .faint, anchor: .end)
    }
    for size in sizes {
      drawing.line((x(size), top), (x(size), bottom), .grid)
      drawing.text(Self.short(size), x(size), bottom + 18, .faint, anchor: .middle)
    }
    drawing.text(found.axis, (left + right) / 2, bottom + 38, .faint, anchor: .middle)
    drawing.text("CPU", left - 10, top - 12, .faint, anchor: .end)
  }

  private var sizes: [Int] { found.costs[.ours]?.map(\.size) ?? [] }

  private var decades: ClosedRange<Int> {
    let costs = found.costs.values.joined().map(\.nanoseconds).filter { $0 > 0 }
    let least = Int(log10(costs.min() ?? 1).rounded(.down))
    return least...max(least + 1, Int(log10(costs.max() ?? 10).rounded(.up)))
  }

  private func x(_ size: Int) -> Double {
    let (first, last) = (log(Double(sizes.first ?? 1)), log(Double(sizes.last ?? 2)))
    let part = (log(Double(size)) - first) / max(last - first, 0.01)
    return Self.plot.left + part * (Self.plot.right - Self.plot.left)
  }

  private func y(_ nanoseconds: Double) -> Double {
    let decades = decades
    let part =
      (log10(nanoseconds) - Double(decades.lowerBound)) / Double(decades.count - 1)
    return Self.plot.bottom - part * (Self.plot.bottom - Self.plot.top)
  }

  /// `64`, `16 Ki`, `100 k`.
  private static func short(_ size: Int) -> String {
    let isBinary = size >= 1024 && size.nonzeroBitCount == 1
    switch (size, isBinary) {
    case ((1 << 20)..., true): return "\(size >> 20) Mi"
    case (_, true): return "\(size >> 10) Ki"
    case (1_000_000..., _): return "\(size / 1_000_000) M"
    case (1000..., _): return "\(size / 1000) k"
    default: return "\(size)"
    }
  }
}
