import OperatorPages

/// Draws a diagram.
///
/// The style sheet gives the colors. The script of the page draws the same marbles.
struct SVGRenderer {
  let diagram: Diagram
  let geometry: DiagramGeometry

  /// The diagram with the given answer, for the inputs as they are drawn first.
  func draw(_ answer: [[Marble]], id: String) -> HTML {
    let inputs = zip(diagram.inputs, geometry.inputs).enumerated().map { number, row in
      let (input, y) = row
      let marbles = input.marbles.enumerated().map { index, marble in
        HTML.tag(
          "g", ["class": "handle", "data-input": "\(number)", "data-index": "\(index)"],
          .tag("circle", ["class": "touch", "cx": "\(x(marble))", "cy": "\(y)", "r": "21"]),
          mark(marble, y: y))
      }
      return HTML.tag("g", ["class": "input"], axis(input.name, y), .group(marbles))
    }
    let outputs = zip(diagram.outputs, geometry.outputs).enumerated().map { number, row in
      HTML.group([
        axis(row.0, row.1),
        .tag("g", ["class": "answer", "data-row": "\(number)"], marks(answer[number], y: row.1)),
      ])
    }
    return .tag(
      "svg",
      [
        "viewBox": "0 0 \(geometry.width) \(geometry.height)", "role": "img",
        "aria-labelledby": "\(id)-title \(id)-text",
        "style": "max-width: \(geometry.width * 3 / 2)px",
      ],
      .tag("title", ["id": "\(id)-title"], .text("Marble diagram of \(diagram.caption)")),
      .tag("desc", ["id": "\(id)-text"], .text(sentences(answer))),
      .group(inputs), box, .group(outputs))
  }

  /// The inputs and the answer in words.
  func sentences(_ answer: [[Marble]]) -> String {
    let inputs = diagram.inputs.map { "\($0.name): \($0.marbles.sentence)." }
    let outputs = zip(diagram.outputs, answer).map { "\($0): \($1.sentence)." }
    return (inputs + outputs).joined(separator: " ")
  }

  private func x(_ marble: Marble) -> Int { geometry.x(marble.tick) }

  private var box: HTML {
    let width = geometry.width - 16
    return .tag(
      "g", ["class": "operator"],
      .tag(
        "rect",
        [
          "x": "8", "y": "\(geometry.box)", "width": "\(width)",
          "height": "\(geometry.boxHeight)", "rx": "8",
        ]),
      .tag(
        "text", ["x": "\(geometry.width / 2)", "y": "\(geometry.box + 22)"], .text(diagram.caption))
    )
  }

  private func axis(_ name: String, _ y: Int) -> HTML {
    let end = geometry.width - 8
    let seconds = (0...diagram.seconds).map { "M\(geometry.x($0 * Marble.ticksPerSecond)) \(y)v6" }
    return .tag(
      "g", ["class": "axis"], .tag("text", ["x": "8", "y": "\(y - 25)"], .text(name)),
      .tag("line", ["x1": "8", "y1": "\(y)", "x2": "\(end)", "y2": "\(y)"]),
      .tag(
        "path",
        ["d": "M\(end - 7) \(y - 5)L\(end) \(y)L\(end - 7) \(y + 5)" + seconds.joined()]))
  }

  /// The marbles of one row; those of the same time are below each other, in front of the end.
  private func marks(_ marbles: [Marble], y: Int) -> HTML {
    let placed = zip(marbles, Stack.depths(of: marbles))
    let ends = placed.filter { $0.0.isEnd }
    let elements = placed.filter { !$0.0.isEnd }
    return .group((ends + elements).map { mark($0, y: y + $1 * geometry.stack) })
  }

  private func mark(_ marble: Marble, y: Int) -> HTML {
    let x = geometry.x(marble.tick)
    switch marble.kind {
    case .completed: return stroke("end", "M\(x) \(y - 21)V\(y + 21)")
    case .failed:
      return stroke(
        "error", "M\(x - 9) \(y - 9)L\(x + 9) \(y + 9)M\(x + 9) \(y - 9)L\(x - 9) \(y + 9)")
    case .subscribed:
      return stroke("subscription", "M\(x - 10) \(y + 9)L\(x) \(y - 11)L\(x + 10) \(y + 9)Z")
    case .disposed: return stroke("disposal", "M\(x - 8) \(y - 8)H\(x + 8)V\(y + 8)H\(x - 8)Z")
    case .element(let text):
      let width = Self.width(of: text)
      return .tag(
        "g", ["class": "marble c\(Self.color(of: text))"],
        .tag(
          "rect",
          [
            "x": "\(x - width / 2)", "y": "\(y - 15)", "width": "\(width)", "height": "30",
            "rx": "15",
          ]), .tag("text", ["x": "\(x)", "y": "\(y + 5)"], .text(text)))
    }
  }

  private func stroke(_ kind: String, _ path: String) -> HTML {
    .tag("path", ["class": kind, "d": path])
  }

  /// The width of a marble with a text.
  static func width(of text: String) -> Int { max(30, 8 * text.count + 14) }

  /// One of six colors, by the first letter or digit.
  static func color(of text: String) -> Int {
    let first = text.unicodeScalars.first { $0.properties.isAlphabetic || ("0"..."9").contains($0) }
    return Int(first?.value ?? 0) % 6
  }
}
