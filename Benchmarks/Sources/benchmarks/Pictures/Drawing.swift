import Foundation

/// A picture in SVG, readable on a light and on a dark page: it has its own background, by
/// the colour scheme of the page.
struct Drawing {
  /// What a shape stands for; each has a colour in both.
  enum Paint: String, CaseIterable {
    case ink, faint, grid, ours, loop, chain, store, actor, peer, nio, async, fox, rxSwift, quoted

    /// On light, on dark.
    fileprivate var colors: (String, String) {
      switch self {
      case .ink: ("#1f2328", "#e6edf3")
      case .faint: ("#59636e", "#9198a1")
      case .grid: ("#d8dee4", "#30363d")
      case .ours: ("#0b62d6", "#6cb0ff")
      case .loop: ("#6e7781", "#aab4be")
      case .chain: ("#1a7f64", "#56c2ad")
      case .store: ("#8a6d1d", "#d9b54a")
      case .actor, .async: ("#8250df", "#b897ff")
      case .peer: ("#c4511a", "#ff9d5c")
      case .nio: ("#0e7490", "#4cc9d9")
      case .fox: ("#b0307a", "#f381bf")
      case .rxSwift: ("#cf222e", "#ff7b72")
      case .quoted: ("#8c959f", "#7d8590")
      }
    }
  }

  /// Marks differ in shape too, for readers who cannot distinguish the colours.
  private enum Shape {
    case circle, square, diamond, rising, falling

    init(_ paint: Paint) {
      self =
        switch paint {
        case .loop: .square
        case .chain, .nio: .diamond
        case .store, .fox: .rising
        case .actor, .async: .falling
        case .ink, .faint, .grid, .ours, .peer, .rxSwift, .quoted: .circle
        }
    }

    /// Around a point, about as large as a circle of radius 4.
    func outline(_ x: Double, _ y: Double) -> String? {
      let corners: [(x: Double, y: Double)]? =
        switch self {
        case .circle: nil
        case .square: [(-3.6, -3.6), (3.6, -3.6), (3.6, 3.6), (-3.6, 3.6)]
        case .diamond: [(0, -5.2), (5.2, 0), (0, 5.2), (-5.2, 0)]
        case .rising: [(0, -4.8), (4.8, 3.8), (-4.8, 3.8)]
        case .falling: [(0, 4.8), (4.8, -3.8), (-4.8, -3.8)]
        }
      return corners.map { corners in
        corners.map { "\((x + $0.x).shown) \((y + $0.y).shown)" }.joined(separator: "L")
      }
    }
  }

  enum Anchor: String { case start, middle, end }

  private let width: Double
  private let height: Double
  private let title: String
  private var shapes: [String] = []

  /// - Parameter title: the text for screen readers.
  init(width: Double, height: Double, title: String) {
    (self.width, self.height, self.title) = (width, height, title)
  }

  mutating func text(
    _ text: String,
    _ x: Double,
    _ y: Double,
    _ paint: Paint = .ink,
    anchor: Anchor = .start,
    size: Double = 12,
    isBold: Bool = false
  ) {
    let weight = isBold ? " font-weight=\"600\"" : ""
    shapes.append(
      "<text x=\"\(x.shown)\" y=\"\(y.shown)\" class=\"\(paint)\" text-anchor=\"\(anchor)\""
        + " font-size=\"\(size.shown)\"\(weight)>\(text.escaped)</text>")
  }

  mutating func line(
    _ from: (x: Double, y: Double),
    _ to: (x: Double, y: Double),
    _ paint: Paint,
    width: Double = 1
  ) {
    shapes.append(
      "<path d=\"M\(from.x.shown) \(from.y.shown)L\(to.x.shown) \(to.y.shown)\""
        + " class=\"\(paint)-line\" stroke-width=\"\(width.shown)\"/>")
  }

  mutating func path(_ points: [(x: Double, y: Double)], _ paint: Paint, width: Double = 2) {
    let path = points.map { "\($0.x.shown) \($0.y.shown)" }.joined(separator: "L")
    shapes.append("<path d=\"M\(path)\" class=\"\(paint)-line\" stroke-width=\"\(width.shown)\"/>")
  }

  mutating func bar(
    from left: Double,
    to right: Double,
    _ y: Double,
    height: Double,
    _ paint: Paint,
    isHollow: Bool
  ) {
    let style = isHollow ? "\(paint)-line" : "\(paint)"
    shapes.append(
      "<rect x=\"\(min(left, right).shown)\" y=\"\(y.shown)\" width=\"\(abs(right - left).shown)\""
        + " height=\"\(height.shown)\" rx=\"2\" class=\"\(style)\"/>")
  }

  /// What one of the contenders came to.
  mutating func mark(_ x: Double, _ y: Double, _ paint: Paint, isHollow: Bool = false) {
    let style = isHollow ? "\(paint)-line hollow\" stroke-width=\"1.6" : "\(paint)"
    if let outline = Shape(paint).outline(x, y) {
      shapes.append("<path d=\"M\(outline)Z\" class=\"\(style)\"/>")
    } else {
      shapes.append("<circle cx=\"\(x.shown)\" cy=\"\(y.shown)\" r=\"4\" class=\"\(style)\"/>")
    }
  }

  var svg: String {
    let light = Paint.allCases.map { $0.rules($0.colors.0) }.joined()
    let dark = Paint.allCases.map { $0.rules($0.colors.1) }.joined()
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width.shown) \(height.shown)" \
      width="\(width.shown)" height="\(height.shown)" role="img" \
      font-family="system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif">
      <title>\(title.escaped)</title>
      <style>
      .page{fill:#fff}\(light).hollow{fill:#fff}
      @media (prefers-color-scheme:dark){.page{fill:#0d1117}\(dark).hollow{fill:#0d1117}}
      </style>
      <rect width="100%" height="100%" rx="6" class="page"/>
      \(shapes.joined(separator: "\n"))
      </svg>

      """
  }
}

extension Drawing.Paint {
  fileprivate func rules(_ color: String) -> String {
    ".\(self){fill:\(color)}.\(self)-line{stroke:\(color);fill:none}"
  }
}

extension Double {
  /// A coordinate, to a tenth.
  fileprivate var shown: String {
    let tenths = (self * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}

extension String {
  fileprivate var escaped: String {
    replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
  }
}

extension Contender.Name {
  /// The colour, and with it the shape, that it has in all pictures.
  var paint: Drawing.Paint {
    switch self {
    case .ours: .ours
    case .loop, .raw: .loop
    case .chain: .chain
    case .store, .source: .store
    case .actor: .actor
    case .async: .async
    case .peer: .peer
    case .nio: .nio
    case .flyingFox: .fox
    }
  }
}
