import Compose
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
    second.receiveShared(\.favorites) { $0.favorites = [1, 2] }
    second.send(.toggle(1)) { $0.favorites = [2] }
    first.receiveShared(\.favorites) { $0.favorites = [2] }
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
      recorder.timeline.steps.map(\.change) == Array(repeating: #"\State.favorites"#, count: 3))
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
    favorites.update(by: "test") { $0.insert(7) }
    test.receiveShared(\.favorites) { $0.favorites = [1, 7] }
    test.advance(by: .seconds(1))
    test.receive(.toggle(70)) { $0.favorites = [1, 7, 70] }
    favorites.update(by: "test") { $0 = [] }
    test.receiveShared(\.favorites) { $0.favorites = [] }
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
    let favorites = favorites
    let composers = (0..<4).map { _ in Composed(sending: Library(favorites)) }
    await withTaskGroup { group in
      for (index, composer) in composers.enumerated() {
        group.addTask { for book in 0..<200 { composer.send(.replace([index, 100 + book])) } }
      }
    }
    for composer in composers { #expect(composer.state.favorites == favorites.value) }
  }

  // MARK: Children

  @Test func `a child begins with the shared value in its first action`() {
    let test = TestComposer(Library(favorites))
    test.send(.open) { $0.shelf = Shelf.State() }
    test.receiveChange(#"\State.books"#) { $0.shelf?.books = [1] }
    test.send(.shelf(.look)) { $0.shelf?.seen = [1] }
    test.finish()
  }

  @Test func `a child that is created and reduced in one step begins with the shared value`() {
    let test = TestComposer(Library(favorites))
    test.composer.action.accept(.open)
    let composer = Composed(sending: Library(favorites))
    let group = EventRecorder<Library.State>()
    let subscription = composer.states.skip(1).subscribe(onNext: { group.append($0) })
    composer.send(.openAndAdd(2))
    #expect(group.events.first?.shelf?.books == [1, 2])
    #expect(favorites.value == [1, 2])
    #expect(composer.state.favorites == [1, 2])
    subscription.dispose()
    test.receive(.open) { $0.shelf = Shelf.State() }
    test.receiveChange(#"\State.books"#) { $0.shelf?.books = [1] }
    test.receiveShared(\.favorites) { $0.favorites = [1, 2] }
    test.receiveChange(#"\State.books"#) { $0.shelf?.books = [1, 2] }
    test.finish()
  }

  @Test func `a child and its parent share a value`() {
    let test = TestComposer(Library(favorites))
    test.send(.open) { $0.shelf = Shelf.State() }
    test.receiveChange(#"\State.books"#) { $0.shelf?.books = [1] }
    test.send(.shelf(.add(2))) { $0.shelf?.books = [1, 2] }
    test.receiveShared(\.favorites) { $0.favorites = [1, 2] }
    test.send(.toggle(1)) { $0.favorites = [2] }
    test.receiveChange(#"\State.books"#) { $0.shelf?.books = [2] }
    test.send(.close) { $0.shelf = nil }
    favorites.update(by: "test") { $0 = [] }
    test.receiveShared(\.favorites) { $0.favorites = [] }
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
