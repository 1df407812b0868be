import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("A child that dismisses itself", .workerPool)
struct DismissalTests {
  final class Note: Composer {
    enum Action: Equatable, Codable {
      case write(String), save, sendAndClose(String), submit, saveLater
    }
    struct State: Equatable, Codable, Identifiable {
      var id: Int
      var text = ""
      var isSaved = false
    }
    @ComposableState var state = State(id: 0)
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .write(let text): state.text = text
      case .save:
        state.isSaved = true
        return .dismiss
      case .sendAndClose(let text): return .merge(.send(.write(text)), .dismiss)
      case .submit: return .send(.write("sent"))
      case .saveLater:
        return .send(.save, after: .seconds(1))
      }
      return .none
    }
  }

  final class Desk: Composer {
    enum Action: Equatable, Codable {
      case open(Note.State), shut, sheet(Note.Action), closed(Note.State)
      case row(Int, Note.Action), rowClosed(Int, Note.State)
      case screen(Int, Note.Action), screenClosed(Int, Note.State)
      case sheetCount(Int), chain
    }
    struct State: Equatable, Codable {
      var sheet: Note.State?
      var rows: IdentifiedArray<Note.State> = []
      var path: ScreenStack<Note.State> = []
      var results: [String] = []
      var count = 0
      var isChained = false
    }
    @ComposableState var state: State
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    var middleware: [any Middleware<State, Action>]

    let sheet = Child(\State.sheet, Action.sheet, onDismiss: Action.closed) { Note() }
    let rows = Children(\State.rows, Action.row, onDismiss: Action.rowClosed) { Note() }
    let screens = Children(\State.path, Action.screen, onDismiss: Action.screenClosed) { Note() }

    init(_ state: State = State(), _ middleware: [any Middleware<State, Action>] = []) {
      self.middleware = middleware
      self.state = state
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open(let note): state.sheet = note
      case .shut: state.sheet = nil
      case .sheet(let action): return sheet.reduce(&state, action)
      case .closed(let note):
        if note.isSaved { state.results.append("\(note.text), sheet: \(state.sheet != nil)") }
        return .send(.sheetCount(state.results.count))
      case .sheetCount(let count): state.count = count
      case .row(let id, let action): return rows.reduce(&state, id, action)
      case .chain:
        state.isChained = true
        return state.rows.first.map { rows.reduce(&state, $0.id, .save) } ?? .none
      case .rowClosed(let id, let note):
        if state.isChained {
          return state.rows.first.map { rows.reduce(&state, $0.id, .save) } ?? .none
        }
        state.results.append("row \(id): \(note.text)")
      case .screen(let id, let action): return screens.reduce(&state, id, action)
      case .screenClosed(let id, let note):
        state.results.append("screen \(id): \(note.text), \(state.path.count) left")
      }
      return .none
    }
  }

  private let time = VirtualTime()

  private func desk(_ desk: Desk = Desk(), after actions: Desk.Action...) -> Screen<Desk> {
    let screen = time.run { Screen(desk) }
    for action in actions { screen.composer.action.accept(action) }
    return screen
  }

  @Test func `its parent receives its last state in the step that removes it`() {
    let desk = desk(after: .open(Note.State(id: 1)), .sheet(.write("tea")))
    let recorder = TimelineRecorder(desk.composer.trace)
    desk.composer.action.accept(.sheet(.save))
    #expect(desk.composer.state.sheet == nil)
    #expect(desk.composer.state.results == ["tea, sheet: false"])
    #expect(desk.composer.state.count == 1)
    let steps = recorder.timeline.steps
    let last = Note.State(id: 1, text: "tea", isSaved: true)
    #expect(steps.map(\.change) == [nil, "dismiss Note", nil])
    #expect(steps.map(\.actions) == [[.sheet(.save)], [.closed(last)], [.sheetCount(1)]])
    #expect(steps[2].source == .step(steps[1].number))
    #expect("\(recorder.timeline)".contains("dismiss Note, closed(ComposeTests."))
  }

  @Test func `observers of the actions receive the action of a dismissal`() {
    let desk = desk(after: .open(Note.State(id: 1)))
    let actions = EventRecorder<Desk.Action>()
    let subscription = desk.composer.action.subscribe(onNext: { actions.append($0) })
    desk.composer.action.accept(.sheet(.save))
    subscription.dispose()
    #expect(
      actions.events == [
        .sheet(.save), .closed(Note.State(id: 1, isSaved: true)), .sheetCount(1),
      ])
  }

  @Test func `a state that the parent removes is no dismissal`() {
    let desk = desk(after: .open(Note.State(id: 1)), .shut, .open(Note.State(id: 2)))
    desk.composer.action.accept(.open(Note.State(id: 3)))
    #expect(desk.composer.state.results.isEmpty)
    #expect(desk.composer.state.count == 0)
  }

  @Test func `rows and screens are named by their ids`() {
    let first = Desk.State(
      rows: [Note.State(id: 1, text: "a"), Note.State(id: 2, text: "b")],
      path: [Note.State(id: 7, text: "x"), Note.State(id: 8, text: "y"), Note.State(id: 9)])
    let desk = desk(Desk(first), after: .row(2, .save), .screen(1, .save))
    #expect(desk.composer.state.rows.ids == [1])
    #expect(desk.composer.state.path.ids == [0])
    #expect(desk.composer.state.results == ["row 2: b", "screen 1: y, 1 left"])
  }

  @Test func `no action comes between the step that dismisses and the dismissal`() {
    let desk = desk(after: .open(Note.State(id: 1, text: "tea")))
    let relay = desk.composer.action
    let bag = DisposeBag()
    relay.subscribe(onNext: { action in
      if action == .sheet(.save) { relay.accept(.open(Note.State(id: 2))) }
    }).disposed(by: bag)
    relay.accept(.sheet(.save))
    #expect(desk.composer.state.results == ["tea, sheet: false"])
    #expect(desk.composer.state.sheet?.id == 2)
  }

  @Test func `a dismissal that is a part of an effect follows what was sent before`() {
    let desk = desk(
      after: .open(Note.State(id: 1, isSaved: true)), .sheet(.sendAndClose("late")))
    #expect(desk.composer.state.results == ["late, sheet: false"])
  }

  @Test func `a dismissal follows what the child has sent and waits`() {
    let desk = desk(after: .open(Note.State(id: 1)))
    let relay = desk.composer.action
    let bag = DisposeBag()
    relay.subscribe(onNext: { action in
      if action == .sheet(.submit) { relay.accept(.sheet(.save)) }
    }).disposed(by: bag)
    relay.accept(.sheet(.submit))
    #expect(desk.composer.state.results == ["sent, sheet: false"])
  }

  @Test func `an observer of the action may put another sheet in the place of the child`() {
    let desk = desk(after: .open(Note.State(id: 1)))
    let bag = DisposeBag()
    desk.composer.action.subscribe(onNext: { [unowned desk] action in
      guard case .closed = action else { return }
      MainActor.assumeIsolated { desk.composer.state.sheet = Note.State(id: 2) }
    }).disposed(by: bag)
    desk.composer.action.accept(.sheet(.save))
    #expect(desk.composer.state.sheet == Note.State(id: 2))
    #expect(desk.composer.state.results.isEmpty)
  }

  @Test func `a late dismissal of a sheet that was replaced is dropped`() {
    let desk = desk(after: .open(Note.State(id: 1)), .sheet(.saveLater), .open(Note.State(id: 2)))
    time.advance(by: .seconds(2))
    #expect(desk.composer.state.sheet == Note.State(id: 2))
  }

  @Test func `ten thousand children dismiss themselves one after the other`() {
    let first = Desk.State(rows: IdentifiedArray((0..<10_000).map { Note.State(id: $0) }))
    let desk = time.run { Composed(sending: Desk(first)) }
    desk.send(.chain)
    #expect(desk.state.rows.isEmpty)
  }

  @Test func `a control that removes the state, and the pop of screens above, send no action`() {
    let first = Desk.State(
      sheet: Note.State(id: 1), path: [Note.State(id: 7), Note.State(id: 8), Note.State(id: 9)])
    let desk = desk(Desk(first))
    Observable.just(Note.State?.none).bind(to: desk.composer.controlProperty(\.sheet)).dispose()
    #expect(desk.composer.state.sheet == nil)
    #expect(desk.composer.state.results.isEmpty)
    desk.composer.action.accept(.screen(1, .save))
    #expect(desk.composer.state.results == ["screen 1: , 1 left"])
  }

  @Test func `two children dismiss themselves in one step of a group`() {
    let first = Desk.State(rows: [Note.State(id: 1, text: "a"), Note.State(id: 2, text: "b")])
    final class Both: Composer {
      enum Action: Equatable { case both, desk(Desk.Action) }
      @ComposableState var state: Desk.State
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      let desk = Child(\Desk.State.self, Action.desk) { Desk() }
      init(_ state: Desk.State) { self.state = state }
      func reducer(_ state: inout Desk.State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .both: .group(.desk(.row(1, .save)), .desk(.row(2, .save)))
        case .desk(let action): desk.reduce(&state, action)
        }
      }
    }
    let screen = time.run { Screen(Both(first)) }
    let recorder = TimelineRecorder(screen.composer.trace)
    screen.composer.action.accept(.both)
    #expect(screen.composer.state.rows.isEmpty)
    #expect(screen.composer.state.results == ["row 1: a", "row 2: b"])
    let steps = recorder.timeline.steps
    #expect(steps.map(\.change) == [nil, nil, "dismiss Note", "dismiss Note"])
    #expect(steps[2].source == steps[3].source)
    let last = Note.State(id: 2, text: "b", isSaved: true)
    #expect(steps.last?.actions == [.desk(.rowClosed(2, last))])
  }

  @Test func `middleware that drops the action does not keep the child`() {
    final class Dropping: Middleware {
      let seen = EventRecorder<String>()
      func willReduce(_ action: Desk.Action, _ state: Desk.State) -> Desk.Action? {
        if case .closed = action { nil } else { action }
      }
      func didReduce(_ action: Desk.Action, _ state: Desk.State) -> Observable<Effect<Desk.Action>>
      {
        seen.append("\(action)")
        return .none
      }
      func didChange(_ change: String, _ state: Desk.State) -> Observable<Effect<Desk.Action>> {
        seen.append(change)
        return .none
      }
    }
    let dropping = Dropping()
    let desk = desk(
      Desk(Desk.State(sheet: Note.State(id: 1)), [dropping]), after: .sheet(.save))
    #expect(desk.composer.state.sheet == nil)
    #expect(desk.composer.state.results.isEmpty)
    #expect(dropping.seen.events == ["\(Desk.Action.sheet(.save))", "dismiss Note"])
  }

  @Test func `a test receives the dismissal as its action`() {
    let test = TestComposer(Desk(Desk.State(sheet: Note.State(id: 1, text: "tea"))))
    test.send(.sheet(.save)) { $0.sheet?.isSaved = true }
    test.receive(.closed(Note.State(id: 1, text: "tea", isSaved: true))) {
      $0.sheet = nil
      $0.results = ["tea, sheet: false"]
    }
    test.receive(.sheetCount(1)) { $0.count = 1 }
    test.finish()
  }

  @Test func `the forms of receive find the action of a dismissal`() {
    func receive(_ body: (TestComposer<Desk>) -> Void) {
      let test = TestComposer(Desk(Desk.State(rows: [Note.State(id: 1, text: "a")])))
      test.send(.row(1, .save)) { $0.rows[id: 1]?.isSaved = true }
      body(test)
      test.finish()
    }
    func expect(_ state: inout Desk.State) {
      state.rows = []
      state.results = ["row 1: a"]
    }
    let last = Note.State(id: 1, text: "a", isSaved: true)
    receive { test in test.receive(group: .rowClosed(1, last), expect: expect) }
    receive { test in test.receive(Desk.Action.rowClosed) { expect(&$1) } }
    receive { test in
      test.receive(where: { if case .rowClosed = $0 { true } else { false } }, expect: expect)
    }
  }

  @Test func `a timeline with dismissals is filed, and its replay reduces their actions`() throws {
    let desk = time.run { Composed(sending: Desk()) }
    let recorder = TimelineRecorder(desk.trace)
    for action in [Desk.Action.open(Note.State(id: 1)), .sheet(.write("tea")), .sheet(.save)] {
      desk.send(action)
    }
    let timeline = recorder.timeline
    let read = try Timeline<Desk.State, Desk.Action>(jsonLines: timeline.jsonLines())
    #expect(read.difference(from: timeline) == nil)
    #expect(read.causes(of: 4).map(\.number) == [4, 3])
    #expect(timeline.replay(into: Desk()).difference(from: timeline) == nil)
    let other = timeline.replay(into: ForgetfulDesk())
    #expect(other.difference(from: timeline)?.contains("step.state.results") == true)
  }

  /// A desk that does not note what was saved.
  final class ForgetfulDesk: Composer {
    typealias Action = Desk.Action
    @ComposableState var state = Desk.State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let sheet = Child(\Desk.State.sheet, Action.sheet, onDismiss: Action.closed) { Note() }

    func reducer(_ state: inout Desk.State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open(let note): state.sheet = note
      case .sheet(let action): return sheet.reduce(&state, action)
      default: break
      }
      return .none
    }
  }

  @Test func `a child in an optional child dismisses itself first, and then its parent`() {
    final class House: Composer {
      enum Action: Equatable { case desk(Desk.Action), left(Desk.State) }
      struct State: Equatable { var desk: Desk.State? }
      @ComposableState var state = State(desk: Desk.State(sheet: Note.State(id: 1)))
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      let desk = Child(\State.desk, Action.desk, onDismiss: Action.left) { Desk() }
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        if case .desk(let action) = action { desk.reduce(&state, action) } else { .none }
      }
    }
    let test = TestComposer(House(), in: time)
    test.send(.desk(.sheet(.save))) { $0.desk?.sheet?.isSaved = true }
    test.receive(.desk(.closed(Note.State(id: 1, isSaved: true)))) {
      $0.desk?.sheet = nil
      $0.desk?.results = [", sheet: false"]
    }
    test.receive(.desk(.sheetCount(1))) { $0.desk?.count = 1 }
    test.finish()
  }

  @Test func `a test that receives a dismissal without its action fails`() {
    withKnownIssue {
      let test = TestComposer(Desk(Desk.State(sheet: Note.State(id: 1))))
      test.send(.sheet(.save)) { $0.sheet?.isSaved = true }
      test.receiveDismissal(of: Note.self) { $0.sheet = nil }
      test.exhaustivity = .off
      test.finish()
    } matching: { issue in
      issue.comments.contains { "\($0)".contains("got       dismiss Note, closed(") }
    }
  }
}
