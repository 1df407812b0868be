import Compose
import Dispatch
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("A shared part of the state", .workerPool)
struct SharedTests {
  let favorites = SharedValue<Set<Int>>([1])

  @Test func `a composer begins with the shared value`() {
    let test = TestComposer(Library(favorites))
    #expect(test.state.favorites == [1])
    test.finish()
  }

  @Test func `a change of one composer is a step of the others`() {
    let time = VirtualTime()
    let first = TestComposer(Library(favorites), in: time)
    let second = TestComposer(Library(favorites), in: time)
    first.send(.toggle(2)) { $0.favorites = [1, 2] }
    second.receiveShared { $0.favorites = [1, 2] }
    second.send(.toggle(1)) { $0.favorites = [2] }
    first.receiveShared { $0.favorites = [2] }
    #expect(favorites.value == [2])
    first.finish()
    second.finish()
  }

  @Test func `a step names the composer that has written, and its step`() {
    let first = Composed(sending: Library(favorites, name: "first"))
    let second = Composed(sending: Library(favorites, name: "second"))
    let recorder = TimelineRecorder(second.trace)
    first.send(.toggle(1))
    first.send(.toggle(2))
    favorites.update(by: "sync") { $0 = [5] }
    #expect(
      recorder.timeline.steps.map(\.source) == [
        .shared(by: "first", step: 1), .shared(by: "first", step: 2),
        .shared(by: "sync", step: nil),
      ])
    #expect(
      recorder.timeline.steps.map(\.change) == Array(repeating: "shared Set<Int>", count: 3))
    #expect(recorder.timeline.steps.map(\.state.favorites) == [[], [2], [5]])
  }

  @Test func `a step that does not change the part makes no step of others`() {
    let time = VirtualTime()
    let first = TestComposer(Library(favorites), in: time)
    let second = TestComposer(Library(favorites), in: time)
    first.send(.replace([1]))
    favorites.update(by: "test") { $0 = [1] }
    first.finish()
    second.finish()
  }

  @Test func `a change of others updates the state effects`() {
    let test = TestComposer(Library(favorites))
    favorites.update(by: "test") { $0.insert(7_777) }
    test.receiveShared { $0.favorites = [1, 7_777] }
    test.advance(by: .seconds(1))
    test.receive(.toggle(70)) { $0.favorites = [1, 7_777, 70] }
    favorites.update(by: "test") { $0 = [] }
    test.receiveShared { $0.favorites = [] }
    test.finish()
  }

  @MainActor
  @Test func `a write of the state from outside is shared`() {
    let time = VirtualTime()
    let first = time.run { Screen(Library(favorites)) }
    let second = time.run { Screen(Library(favorites)) }
    first.composer.state.favorites = [3]
    #expect(favorites.value == [3])
    #expect(second.composer.state.favorites == [3])
  }

  @MainActor
  @Test func `an old state that is set again does not undo what others have shared`() {
    let screen = VirtualTime().run { Screen(Library(favorites)) }
    var draft = screen.composer.state
    favorites.update(by: "sync") { $0.insert(7) }
    draft.isLoud = true
    screen.composer.state = draft
    #expect(favorites.value == [1, 7])
    #expect(screen.composer.state.favorites == [1, 7] && screen.composer.state.isLoud)
  }

  @Test func `an old part that is written again is shared`() {
    let test = TestComposer(Library(favorites))
    let old = test.state
    test.send(.toggle(2)) { $0.favorites = [1, 2] }
    test.send(.restore(old, favorites: false)) { $0 = old }
    test.receiveShared { $0.favorites = [1, 2] }
    test.send(.restore(old, favorites: true)) { $0 = old }
    #expect(favorites.value == [1])
    test.finish()
  }

  @Test func `what an init writes into the first state is not shared`() {
    let library = Library(favorites)
    library.state.favorites = [8]
    let composer = Composed(sending: library)
    #expect(composer.state.favorites == [1])
    composer.send(.toggle(2))
    #expect(favorites.value == [1, 2])
  }

  @Test func `a state that passes to another shared value receives that one`() {
    let other = SharedValue<Set<Int>>([50])
    let first = Composed(sending: Library(favorites))
    let library = Library(other)
    library.state = first.state
    let second = Composed(sending: library)
    #expect(second.state.favorites == [50])
    second.send(.toggle(2))
    #expect(other.value == [2, 50] && favorites.value == [1])
  }

  @Test func `two declarations of a part are reported, and the first one counts`() {
    final class Twice: Composer {
      struct State: Equatable { @Shared var favorites: Set<Int> = [] }
      @ComposableState var state = State()
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let first: Sharing<State>
      let second: Sharing<State>
      init(_ first: SharedValue<Set<Int>>, _ second: SharedValue<Set<Int>>) {
        (self.first, self.second) = (Sharing(\.$favorites, first), Sharing(\.$favorites, second))
      }
      func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
        state.favorites.insert(action)
        return .none
      }
    }
    let other = SharedValue<Set<Int>>([50])
    withKnownIssue {
      let test = TestComposer(Twice(favorites, other))
      test.send(2) { $0.favorites = [1, 2] }
      test.finish()
    } matching: {
      $0.description.contains("is shared by two declarations")
    }
    #expect(favorites.value == [1, 2] && other.value == [50])
  }

  @Test func `a path that does not store a value makes no endless steps`() {
    final class Limited: Composer {
      struct State: Equatable {
        var stored = 0
        var count: Shared<Int> {
          get { Shared(wrappedValue: stored) }
          set { stored = min(newValue.wrappedValue, 10) }
        }
      }
      @ComposableState var state = State()
      var action = PublishRelay<Void>()
      var disposeBag = DisposeBag()
      let sharing: Sharing<State>
      init(_ count: SharedValue<Int>) { sharing = Sharing(\.count, count) }
      func reducer(_ state: inout State, _ action: Void) -> Observable<Effect<Void>> { .none }
    }
    let count = SharedValue(3)
    let test = TestComposer(Limited(count))
    #expect(test.state.stored == 3)
    count.update(by: "test") { $0 = 11 }
    test.receiveShared { $0.stored = 10 }
    test.finish()
  }

  @Test func `middleware decides by the newest shared value`() {
    final class Guest: Middleware {
      func willReduce(_ action: Library.Action, _ state: Library.State) -> Library.Action? {
        state.favorites.isEmpty ? nil : action
      }
      typealias State = Library.State
      typealias Action = Library.Action
    }
    let queue = DispatchQueue(label: "SharedTests.middleware")
    let library = Library(favorites)
    library.middleware = [Guest()]
    let composer = Composed(sending: library, on: .queue(queue))
    queue.sync {}
    queue.suspend()
    composer.send(.toggle(2))
    favorites.update(by: "test") { $0 = [] }
    queue.resume()
    queue.sync {}
    #expect(composer.state.favorites == [] && favorites.value == [])
  }

  @Test func `an observer that writes in answer to a step does so after it`() {
    let favorites = favorites
    let composer = Composed(sending: Library(favorites))
    let subscription = composer.states.skip(1).subscribe(onNext: { _ in
      favorites.update(by: "answer") { $0.insert(9) }
    })
    composer.send(.toggle(2))
    #expect(favorites.value == [1, 2, 9])
    #expect(composer.state.favorites == [1, 2, 9])
    subscription.dispose()
  }

  @Test func `a composer that is busy makes one step of many writes, before its next action`() {
    let queue = DispatchQueue(label: "SharedTests")
    let composer = Composed(sending: Library(favorites), on: .queue(queue))
    let recorder = TimelineRecorder(composer.trace)
    queue.sync {}
    queue.suspend()
    for value in 2...1_000 { favorites.update(by: "test") { $0 = [value] } }
    #expect(composer.pendingActionCount == 1)
    composer.send(.toggle(5))
    queue.resume()
    queue.sync {}
    #expect(favorites.value == [5, 1_000])
    #expect(recorder.timeline.steps.map(\.state.favorites) == [[1_000], [5, 1_000]])
  }

  @Test func `an observer of the values belongs to no composer`() {
    let time = VirtualTime()
    let composer = time.run { Composed(sending: Library(favorites)) }
    let clocks = EventRecorder<Bool>()
    let subscription = favorites.values.skip(1).subscribe(onNext: { _ in
      clocks.append(EffectContext.clock as AnyObject === time.scheduler as AnyObject)
    })
    composer.send(.toggle(2))
    #expect(clocks.events == [false])
    subscription.dispose()
  }

  @Test func `a composer that writes while others write ends with the value of all`() async {
    let favorites = SharedValue<Set<Int>>(
      [],
      merge: { base, mine, theirs in
        theirs.union(mine.subtracting(base)).subtracting(base.subtracting(mine))
      })
    let composers = (0..<4).map { _ in Composed(sending: Library(favorites)) }
    await withTaskGroup { group in
      for (index, composer) in composers.enumerated() {
        group.addTask { for book in 0..<200 { composer.send(.toggle(index * 1_000 + 100 + book)) } }
      }
    }
    #expect(favorites.value.count == 800)
    for composer in composers { #expect(composer.state.favorites == favorites.value) }
  }

  @Test func `without a merge all composers end with the last write`() async {
    for _ in 0..<20 {
      let favorites = SharedValue<Set<Int>>([])
      let composers = (0..<4).map { _ in Composed(sending: Library(favorites)) }
      // Few enough that none is left for a turn of the global queue.
      await withTaskGroup { group in
        for (index, composer) in composers.enumerated() {
          group.addTask {
            for book in 0..<100 { composer.send(.replace([index, 100 + book])) }
          }
        }
      }
      for composer in composers { #expect(composer.state.favorites == favorites.value) }
    }
  }

  // MARK: Children

  @Test func `a child begins with the shared value in the step in which it appears`() {
    let test = TestComposer(Library(favorites))
    test.send(.open) { $0.shelf = Shelf.State(books: [1]) }
    test.send(.shelf(.look)) { $0.shelf?.seen = [1] }
    test.finish()
  }

  @Test func `a child of the first state begins with the shared value`() {
    let test = TestComposer(Library(favorites), state: Library.State(shelf: Shelf.State()))
    #expect(test.state.shelf?.books == [1])
    test.finish()
    let library = Library(favorites)
    library.state = Library.State(shelf: Shelf.State())
    let composer = Composed(sending: library)
    #expect(composer.state.shelf?.books == [1])
  }

  @Test func `a child that is created and reduced in one step begins with the shared value`() {
    let composer = Composed(sending: Library(favorites))
    let books = EventRecorder<Set<Int>?>()
    let subscription = composer.states.skip(1).subscribe(onNext: { books.append($0.shelf?.books) })
    composer.send(.openAndAdd(2))
    #expect(books.events.first == [1, 2])
    #expect(favorites.value == [1, 2])
    #expect(composer.state.favorites == [1, 2])
    subscription.dispose()
  }

  @Test func `an action that waits while a child appears finds the shared value`() {
    let composer = Composed(sending: Library(favorites))
    let subscription = composer.actions.asObservable().subscribe(onNext: {
      if $0 == .open { composer.send(.shelf(.add(2))) }
    })
    composer.send(.open)
    #expect(favorites.value == [1, 2])
    subscription.dispose()
  }

  @Test func `a child that is opened again begins with the shared value`() {
    let composer = Composed(sending: Library(favorites))
    for book in 2..<200 {
      composer.send(.open)
      composer.send(.shelf(.add(book)))
      #expect(favorites.value == Set(1...book))
      composer.send(.close)
    }
  }

  @Test func `what a child writes in the step that removes it is shared`() {
    let composer = Composed(sending: Library(favorites))
    composer.send(.open)
    composer.send(.addAndClose(5))
    #expect(favorites.value == [1, 5])
    #expect(composer.state.favorites == [1, 5])
  }

  @Test func `what a child writes is shared also in Dependencies.with`() {
    let composer = Composed(sending: Library(favorites))
    composer.send(.open)
    composer.send(.addInjectedAndClose(5))
    #expect(favorites.value == [1, 5])
  }

  @Test func `the state effects of a child begin with the shared value`() {
    let quiet = SharedValue(true)
    let calls = EventRecorder<String>()
    let time = VirtualTime()
    let house = Composed(sending: House(quiet) { calls.append($0) }, on: .virtual(time))
    house.send(.open)
    house.send(.openRow)
    time.settle()
    #expect(calls.events.isEmpty)
    quiet.update(by: "test") { $0 = false }
    time.settle()
    #expect(calls.events == ["sound", "sound"])
  }

  /// A child that makes a sound unless a shared value says otherwise.
  final class Speaker: Composer {
    struct State: Equatable, Identifiable {
      var id = 0
      @Shared var isQuiet = false
    }
    @ComposableState var state = State()
    var action = PublishRelay<Void>()
    var disposeBag = DisposeBag()
    private let sharing: Sharing<State>
    private let call: @Sendable (String) -> Void

    init(_ isQuiet: SharedValue<Bool>, _ call: @escaping @Sendable (String) -> Void) {
      sharing = Sharing(\.$isQuiet, isQuiet)
      self.call = call
    }

    func reducer(_ state: inout State, _ action: Void) -> Observable<Effect<Void>> { .none }

    func stateEffects(_ state: State) -> [StateEffect<Void>] {
      if !state.isQuiet { StateEffect(id: "sound") { [call] in .fireAndForget { call("sound") } } }
    }
  }

  final class House: Composer {
    enum Action { case open, openRow, speaker, row(Int) }
    struct State: Equatable {
      var speaker: Speaker.State?
      var rows: IdentifiedArray<Speaker.State> = []
    }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let speaker: Child<State, Action, Speaker>
    private let rows: Children<State, Action, Int, Speaker>

    init(_ isQuiet: SharedValue<Bool>, _ call: @escaping @Sendable (String) -> Void) {
      speaker = Child(\State.speaker, { Action.speaker }) { Speaker(isQuiet, call) }
      rows = Children(\State.rows, { id, _ in Action.row(id) }) { Speaker(isQuiet, call) }
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open: state.speaker = Speaker.State()
      case .openRow: state.rows.append(Speaker.State(id: 1))
      case .speaker: return speaker.reduce(&state, ())
      case .row(let id): return rows.reduce(&state, id, ())
      }
      return .none
    }
  }

  @Test func `a state that is created anew receives the shared value`() {
    let test = TestComposer(Library(favorites))
    test.send(.toggle(2)) { $0.favorites = [1, 2] }
    test.send(.reset)
    test.send(.open) { $0.shelf = Shelf.State(books: [1, 2]) }
    test.send(.shelf(.look)) { $0.shelf?.seen = [1, 2] }
    test.send(.open) { $0.shelf?.seen = [] }
    #expect(favorites.value == [1, 2])
    test.finish()
  }

  @Test func `a child and its parent share a value`() {
    let test = TestComposer(Library(favorites))
    test.send(.open) { $0.shelf = Shelf.State(books: [1]) }
    test.send(.shelf(.add(2))) { $0.shelf?.books = [1, 2] }
    test.receiveShared { $0.favorites = [1, 2] }
    test.send(.toggle(1)) { $0.favorites = [2] }
    test.receiveShared { $0.shelf?.books = [2] }
    test.send(.close) { $0.shelf = nil }
    favorites.update(by: "test") { $0 = [] }
    test.receiveShared { $0.favorites = [] }
    test.finish()
  }

  // MARK: Tests and timelines

  @Test func `a reduction of Given writes nothing to the shared value`() {
    var state = Library.State()
    state.favorites = [4]
    Given(Library(favorites), state).when(.toggle(5)).then { $0.favorites = [4, 5] }
    #expect(favorites.value == [1])
  }

  @Test func `a timeline with shared changes is filed and replayed`() throws {
    let composer = Composed(sending: Library(favorites))
    let recorder = TimelineRecorder(composer.trace)
    composer.send(.toggle(2))
    favorites.update(by: "test") { $0 = [6] }
    composer.send(.toggle(8))
    let timeline = recorder.timeline
    let read = try Timeline<Library.State, Library.Action>(jsonLines: timeline.jsonLines())
    #expect(read.difference(from: timeline) == nil)
    let other = SharedValue<Set<Int>>([1])
    #expect(timeline.replay(into: Library(other)).difference(from: timeline) == nil)
    composer.send(.open)
    composer.send(.shelf(.look))
    #expect(
      recorder.timeline.replay(into: Library(other)).difference(from: recorder.timeline) == nil)
  }

  // MARK: Memory

  @Test func `composers that share a value are released, and then the value`() {
    weak var weakValue: SharedValue<Set<Int>>?
    do {
      let favorites = SharedValue<Set<Int>>([])
      weakValue = favorites
      weak var weakRelay: PublishRelay<Library.Action>?
      do {
        let composed = Composed(sending: Library(favorites))
        weakRelay = composed.actions
        composed.send(.open)
        composed.send(.toggle(1))
        composed.send(.shelf(.add(3)))
        #expect(composed.state.favorites == [1, 3])
      }
      #expect(weakRelay == nil)
      favorites.update(by: "test") { $0 = [8] }
    }
    #expect(weakValue == nil)
  }
}
