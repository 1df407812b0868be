import Compose
import Dispatch
import Foundation
import Observation
import ReactiveTesting
import TestSupport
import Testing

@Suite("ObservedComposer", .workerPool(limit: 300)) @MainActor struct ObservedComposerTests {
  final class Editor: Composer {
    enum Action { case text(String), select(Int), replace(String, Int), draw, blink }
    struct State {
      var text = ""
      var cursor = 0
      var shape: @Sendable () -> Int = { 0 }
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let token: LiveToken?

    init(_ liveCount: LiveCount? = nil) { token = liveCount.map(LiveToken.init) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .text(let text): state.text = text
      case .select(let cursor): state.cursor = cursor
      case .replace(let text, let cursor): (state.text, state.cursor) = (text, cursor)
      case .draw: state.shape = { 1 }
      case .blink: return .interval(.send(.select(7)), period: .seconds(1))
      }
      return .none
    }
  }

  /// Records each change of the properties that `read` reads.
  private func observe(_ read: () -> Void) -> EventRecorder<Bool> {
    let notes = EventRecorder<Bool>()
    withObservationTracking(read) { notes.append(true) }
    return notes
  }

  @Test func `a change notifies only the readers of the observed composer's property`() {
    let model = ObservedComposer(Editor())
    let (text, cursor) = (observe { _ = model.text }, observe { _ = model.cursor })
    model.send(.text("a"))
    #expect(model.text == "a")
    #expect(text.events.count == 1)
    #expect(cursor.events.isEmpty)
  }

  @Test func `a step that leaves an observed property equal notifies no reader`() {
    let model = ObservedComposer(Editor())
    let text = observe { _ = model.text }
    model.send(.text(""))
    model.send(.select(3))
    #expect(text.events.isEmpty)
    model.send(.text("a"))
    #expect(text.events.count == 1)
  }

  @Test func `a reader of two observed properties is notified once of a change of one or both`() {
    let model = ObservedComposer(Editor())
    let one = observe { _ = (model.text, model.cursor) }
    model.send(.select(1))
    #expect(one.events.count == 1)
    let both = observe { _ = (model.text, model.cursor) }
    model.send(.replace("a", 2))
    #expect(both.events.count == 1)
    #expect(one.events.count == 1)
  }

  @Test func `a reader of an observed property that reads again is notified again`() {
    let model = ObservedComposer(Editor())
    for count in 1...3 {
      let cursor = observe { _ = model.cursor }
      model.send(.select(count))
      #expect(cursor.events.count == 1)
    }
  }

  @Test func `all readers of an observed property are notified`() {
    let model = ObservedComposer(Editor())
    let readers = (0..<3).map { _ in observe { _ = model.cursor } }
    model.send(.select(1))
    #expect(readers.map(\.events.count) == [1, 1, 1])
  }

  @Test func `readers of the observed state are notified of every step, and of a part by its path`()
  {
    let model = ObservedComposer(Editor())
    let (whole, part) = (observe { _ = model.state }, observe { _ = model.text.count })
    model.send(.select(1))
    #expect(whole.events.count == 1)
    #expect(part.events.isEmpty)
    #expect(model.state.cursor == 1)
  }

  @Test func `an observed property that is not Equatable counts as changed by every step`() {
    let model = ObservedComposer(Editor())
    let shape = observe { _ = model.shape }
    model.send(.text(""))
    #expect(shape.events.count == 1)
  }

  @Test
  func
    `an observed composer has the old state during the notification and the new state afterwards`()
  {
    let model = ObservedComposer(Editor())
    let seen = EventRecorder<Int>()
    withObservationTracking {
      _ = model.cursor
    } onChange: {
      MainActor.assumeIsolated { seen.append(model.cursor) }
    }
    model.send(.select(5))
    #expect(seen.events == [0])
    #expect(model.cursor == 5)
  }

  @Test func `actions of effects update an observed composer`() {
    let time = VirtualTime()
    let model = time.run { ObservedComposer(Editor()) }
    model.send(.blink)
    let cursor = observe { _ = model.cursor }
    time.advance(by: .milliseconds(999))
    #expect(cursor.events.isEmpty)
    time.advance(by: .milliseconds(1))
    #expect(cursor.events.count == 1)
    #expect(model.cursor == 7)
  }

  @Test func `an action sent inside another observer updates an observed composer at once`() {
    let model = ObservedComposer(Editor())
    let (other, seen) = (BehaviorRelay(value: 4), EventRecorder<Int>())
    other.asDriver().drive(onNext: { number in
      model.send(.select(number))
      seen.append(model.cursor)
    }).dispose()
    #expect(seen.events == [4])
  }

  @Test func `a write of another thread updates an observed composer on the main queue`() async {
    let model = ObservedComposer(Editor())
    let text = observe { _ = model.text }
    let state = model.composer.$state
    await Task.detached { state.wrappedValue = Editor.State(text: "written") }.value
    // Waits for the turn of the main queue that the write has scheduled.
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    #expect(model.text == "written")
    #expect(text.events.count == 1)
  }

  @Test func `releasing an observed composer releases the composer and ends its effects`() {
    let (liveCount, time) = (LiveCount(), VirtualTime())
    var text: EventRecorder<Bool>?
    do {
      let model = time.run { ObservedComposer(Editor(liveCount)) }
      model.send(.blink)
      text = observe { _ = (model.text, model.state) }
      #expect(liveCount.count == 1)
    }
    #expect(liveCount.count == 0)
    time.advance(by: .seconds(5))
    #expect(text?.events.isEmpty == true)
  }

  @Test func `an observed composer has the dependencies that its owner injects`() {
    final class Dice: Composer {
      @ComposableState var state = Dependencies.current.uuid()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout UUID, _ action: Int) -> Observable<Effect<Int>> {
        state = Dependencies.current.uuid()
        return .none
      }
    }
    let first = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    let model = ObservedComposer(Dice()) { $0.uuid = { first } }
    #expect(model.state == first)
    model.send(1)
    #expect(model.state == first)
  }
}
