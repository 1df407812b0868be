import Reactive
import ReactiveTesting

/// A marble diagram, whose answer comes from the operator that it explains.
package struct Diagram: Sendable {
  /// The text of the box between the inputs and the answer.
  package let caption: String
  package let inputs: [DiagramInput]
  /// The names of the rows of the answer.
  package let outputs: [String]
  /// The drawn seconds; later events are left out.
  package let seconds: Int
  private let play: @Sendable (DiagramStage) -> Void

  /// A diagram.
  ///
  /// - Parameters:
  ///   - caption: the operator as it is called.
  ///   - inputs: rows whose marbles can be moved.
  ///   - outputs: names of the rows of the answer.
  ///   - extra: seconds drawn after the last one of the inputs.
  ///   - play: runs the operator on the stage, and records what it emits.
  package init(
    _ caption: String, _ inputs: [DiagramInput], outputs: [String] = ["result"], extra: Int = 1,
    play: @escaping @Sendable (DiagramStage) -> Void
  ) {
    self.caption = caption
    self.inputs = inputs
    self.outputs = outputs
    self.play = play
    seconds = (inputs.map(\.slots).max() ?? 8) - 1 + extra
  }

  /// The seconds of the marbles of each input, as they are drawn first.
  package var drawnSeconds: [[Int]] { inputs.map(\.seconds) }

  /// The number of ways to place all marbles.
  package var arrangementCount: Int { inputs.reduce(1) { $0 * $1.arrangements.count } }

  /// All ways to place the marbles; those of the last input change first.
  package var arrangements: [[[Int]]] {
    inputs.reduce([[]]) { placed, input in
      let own = input.arrangements
      return placed.flatMap { others in own.map { others + [$0] } }
    }
  }

  /// The answer of the operator to the inputs as they are drawn first.
  package var drawnAnswer: [[Marble]] { answer(to: drawnSeconds) }

  /// The answer of the operator, which runs in virtual time, in a row for each output.
  ///
  /// - Parameter seconds: those of the marbles of each input.
  package func answer(to seconds: [[Int]]) -> [[Marble]] {
    let rows = zip(inputs, seconds).map { $0.marbles(at: $1) }
    let stage = DiagramStage(inputs: Array(zip(inputs.map(\.kind), rows)), rows: outputs.count)
    return stage.run(until: self.seconds * Marble.ticksPerSecond, play)
  }
}
