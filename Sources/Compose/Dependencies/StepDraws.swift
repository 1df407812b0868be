/// What the reducer of one composer draws from its dependencies, step by step.
///
/// Values that are given to a step are returned before new ones, each to the first draw of its type, so
/// that a reducer that draws one value more still gets the others.
@usableFromInline package final class StepDraws: @unchecked Sendable {
  // Accessed where the composer reduces.
  /// The step that has drawn `values`.
  private var step = 0
  private var values: [DrawnValue] = []
  private var given: [DrawnValue] = []
  /// Whether a value is being made, which may draw others.
  private var isDrawing = false

  package init() {}

  /// Gives values to the reducer calls to come.
  package func give(_ values: [DrawnValue]) { given += values }

  /// Releases the values that no reducer call has drawn.
  package func dropGiven() { given = [] }

  /// Draws a value in a step: a given one, otherwise one that `make` returns.
  fileprivate func draw<Value: Drawable>(in step: Int, _ make: () -> Value) -> Value {
    if isDrawing { return make() }
    isDrawing = true
    defer { isDrawing = false }
    if step != self.step { (self.step, values) = (step, []) }
    let value = takeGiven() ?? make()
    values.append(value.drawn)
    return value
  }

  /// The number of values that a step has drawn.
  func count(in step: Int) -> Int { step == self.step ? values.count : 0 }

  /// Runs `body`, which draws again what the step has drawn after so many values.
  func repeating(from count: Int, in step: Int, _ body: () -> Void) {
    let kept = (self.step, values, given)
    given = step == self.step ? Array(values[count...]) : []
    body()
    (self.step, values, given) = kept
  }

  private func takeGiven<Value: Drawable>() -> Value? {
    guard let index = given.firstIndex(where: { Value(drawn: $0) != nil }) else { return nil }
    return Value(drawn: given.remove(at: index))
  }

  /// Returns what the reducer has drawn in a step, and ends the step.
  ///
  /// What was drawn before or after the reducer, by a middleware or for state effects, belongs to no step.
  @usableFromInline func take(in step: Int) -> [DrawnValue] {
    defer { (values, given) = ([], []) }
    return step == self.step ? values : []
  }

  // MARK: The current reducer

  // The draws of a replay on this thread, which the replay retains.
  private static let threadSlot = ThreadSlot()

  /// Runs `body`, which reduces the actions of a recorded step, with the values that the step has drawn.
  package static func replaying<Result>(_ values: [DrawnValue], _ body: () -> Result) -> Result {
    let draws = StepDraws()
    draws.give(values)
    return withExtendedLifetime(draws) {
      threadSlot.holding(Unmanaged.passUnretained(draws).toOpaque(), body)
    }
  }

  /// Returns a value that `make` makes, or that the recording of a replayed step has.
  ///
  /// Outside reducers, and in those that no tool records, it is always `make` that makes it.
  static func value<Value: Drawable>(_ make: () -> Value) -> Value {
    if let store = EffectContext.drawingStore {
      guard let draws = store.draws else { return make() }
      return draws.draw(in: store.stepNumber, make)
    }
    guard let pointer = threadSlot.pointer else { return make() }
    let draws = Unmanaged<StepDraws>.fromOpaque(pointer).takeUnretainedValue()
    return draws.draw(in: 0, make)
  }
}
