// Undo and redo
//
// Problem: The user takes back the last changes of a drawing, and makes them again.
//
// Words: undo, redo, history, UndoManager, time travel, revert
//
// Why: A state is a value, so the past is an array of values. Only the document is in it: what is
// loading or selected is not taken back. A new change removes what could be made again.
//
// Ends: There is no effect, so nothing fails or is cancelled. The limit bounds the memory; equal
// parts of two documents share their storage.
//
// See: scan(into:), Compose/ComposableState, ReactiveTesting/Given

import Compose
import ReactiveTesting
import Testing

struct History<Document: Sendable & Equatable>: Equatable, Sendable {
  private(set) var current: Document
  private(set) var past: [Document] = []
  private(set) var future: [Document] = []

  init(_ document: Document) { current = document }

  mutating func change(limit: Int = 100, _ change: (inout Document) -> Void) {
    past = past.suffix(limit - 1) + [current]
    future = []
    change(&current)
  }

  mutating func undo() {
    guard let last = past.popLast() else { return }
    future.append(current)
    current = last
  }

  mutating func redo() {
    guard let next = future.popLast() else { return }
    past.append(current)
    current = next
  }
}

final class Drawing: Composer {
  enum Action: Equatable { case add(String), undo, redo }

  @ComposableState var state = History<[String]>([])
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .add(let shape): state.change { $0.append(shape) }
    case .undo: state.undo()
    case .redo: state.redo()
    }
    return .none
  }
}

@Test func `a change that was taken back is made again, until there is a new one`() {
  let drawing = Composed(sending: Drawing())
  let steps: [Drawing.Action] = [.add("circle"), .add("line"), .undo, .undo, .redo, .redo, .undo]
  let shapes = steps.map { step in
    drawing.send(step)
    return drawing.state.current
  }
  let one = ["circle"]
  let two = ["circle", "line"]
  #expect(shapes == [one, two, one, [], one, two, one])
  drawing.send(.add("square"))
  drawing.send(.redo)
  #expect(drawing.state.current == ["circle", "square"])
}
