import OperatorPages

/// The places of a diagram's rows and marbles, in units of its view box.
struct DiagramGeometry: Encodable {
  /// The width of a tick.
  let tick: Int
  /// The left end of the time axis.
  let left = 26
  let width: Int
  let height: Int
  /// The axis of each input.
  let inputs: [Int]
  /// The top of the box with the operator.
  let box: Int
  /// The axis of each row of the answer.
  let outputs: [Int]
  /// The distance of marbles of the same time.
  let stack = 25
  let boxHeight = 34

  private enum CodingKeys: CodingKey { case tick, left, outputs, stack }

  init(_ diagram: Diagram, heights: [Int]) {
    // A second is at least as wide as a marble, and the whole fits a phone.
    tick = diagram.seconds > 11 ? 15 : 18
    width = 2 * left + 14 + diagram.seconds * Marble.ticksPerSecond * tick
    let row = 60
    inputs = diagram.inputs.indices.map { 40 + $0 * row }
    box = (inputs.last ?? 0) + (inputs.isEmpty ? 4 : 26)
    var axis = box + boxHeight + 42
    var outputs: [Int] = []
    for height in heights {
      outputs.append(axis)
      axis += row + (height - 1) * stack
    }
    self.outputs = outputs
    height = axis - 30
  }

  func x(_ tick: Int) -> Int { left + tick * self.tick }
}
