import OperatorPages

/// A diagram as a figure of a page: drawn, in words, and with the table for its script.
struct DiagramFigure {
  private let diagram: Diagram
  private let table: AnswerTable

  init(_ diagram: Diagram) {
    self.diagram = diagram
    table = AnswerTable(diagram)
  }

  /// What the script needs to move the marbles.
  private struct Script: Encodable {
    struct Input: Encodable {
      let name: String
      let slots: Int
      let seconds: [Int]
      /// What each marble is, for a screen reader.
      let marbles: [String]
    }
    let inputs: [Input]
    let rows: [String]
    let labels: [String]
    let colors: [Int]
    let geometry: DiagramGeometry
    let answers: String
  }

  func html(id: String) throws -> HTML {
    let answer = diagram.drawnAnswer
    let renderer = SVGRenderer(
      diagram: diagram, geometry: DiagramGeometry(diagram, heights: table.heights))
    let script = Script(
      inputs: diagram.inputs.map { input in
        Script.Input(
          name: input.name, slots: input.slots, seconds: input.seconds,
          marbles: input.marbles.map(\.name))
      }, rows: diagram.outputs, labels: table.labels,
      colors: table.labels.map(SVGRenderer.color), geometry: renderer.geometry,
      answers: table.encoded)
    let words = zip(diagram.outputs, answer).map { name, marbles in
      HTML.tag(
        "p", [:], .tag("strong", [:], .text(name)), ": ",
        .tag("span", ["class": "sentence"], .text(marbles.sentence)))
    }
    return .tag(
      "figure", ["class": "diagram", "id": id], renderer.draw(answer, id: id),
      .tag(
        "figcaption", [:], .tag("div", ["class": "words", "aria-live": "polite"], all: words),
        .tag(
          "p", ["class": "hint", "hidden": "hidden"],
          """
          Drag a marble, or select it with the Tab key and press the arrow keys. The answer is the \
          operator's own.
          """)),
      .script([("type", "application/json")], try JSON.text(script)))
  }
}

extension DiagramFigure {
  /// What the shapes of observers mean, in a diagram that has some.
  private var legend: HTML {
    let kinds = Set(diagram.inputs.flatMap(\.marbles).map(\.kind))
    if !kinds.contains(.subscribed) { return .group([]) }
    return .tag(
      "p", ["class": "hint"],
      kinds.contains(.disposed)
        ? "A triangle is a subscription, a square its disposal." : "A triangle is a subscription.")
  }
}

extension Marble {
  /// What moves, for a screen reader.
  fileprivate var name: String {
    switch kind {
    case .element(let text): text
    case .completed: "completion"
    case .failed: "error"
    case .subscribed: "subscription"
    case .disposed: "disposal"
    }
  }
}
