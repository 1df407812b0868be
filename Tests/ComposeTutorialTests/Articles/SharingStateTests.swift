import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

final class Bookshelf: Composer {
  enum Action: Equatable { case toggle(Int) }
  struct State: Equatable { @Shared var favorites: Set<Int> = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let name = "Bookshelf"
  private let sharing: Sharing<State>

  init(_ favorites: SharedValue<Set<Int>>) { sharing = Sharing(\.$favorites, favorites) }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .toggle(let book): state.favorites.formSymmetricDifference([book])
    }
    return .none
  }
}

private final class Badge: Composer {
  struct State: Equatable { @Shared var books: Set<Int> = [] }

  @ComposableState var state = State()
  var action = PublishRelay<Void>()
  var disposeBag = DisposeBag()
  private let sharing: Sharing<State>

  init(_ favorites: SharedValue<Set<Int>>) { sharing = Sharing(\.$books, favorites) }

  func reducer(_ state: inout State, _ action: Void) -> Observable<Effect<Void>> { .none }
}

private enum Editor {
  enum Action { case notKept(String) }
}

private struct Settings: Codable, Equatable { var isLoud = false }
private struct SettingsV1: Codable { var volume: Int }

private struct UserDefaultsStorage: ValueStorage {
  let key: String

  func load() -> Int? { UserDefaults.standard.object(forKey: key) as? Int }
  func save(_ value: Int) { UserDefaults.standard.set(value, forKey: key) }
}

@Suite("Sharing state", .workerPool)
struct SharingStateTests {
  let time = VirtualTime()

  @Test func `a bookshelf and a badge share favorites`() {
    let favorites = SharedValue<Set<Int>>([])
    let bookshelf = Composed(sending: Bookshelf(favorites))
    let badge = Composed(sending: Badge(favorites))
    bookshelf.send(.toggle(1))
    let recorder = TimelineRecorder(badge.trace)
    bookshelf.send(.toggle(1))
    bookshelf.send(.toggle(7))
    #expect(badge.state.books == [7])
    let line = "step 3 by shared(Bookshelf, step 3): shared Set<Int>; books: [] → [7]"
    #expect("\(recorder.timeline)".hasSuffix(line))
  }

  @Test func `favorites of two writers are joined`() {
    let favorites = SharedValue<Set<Int>>([]) { base, mine, theirs in
      theirs.union(mine.subtracting(base)).subtracting(base.subtracting(mine))
    }
    let bookshelf = Composed(sending: Bookshelf(favorites))
    favorites.update(by: "sync") { $0 = [1] }
    bookshelf.send(.toggle(2))
    #expect(favorites.value == [1, 2])
  }

  @Test func `favorites are loaded, shared and kept`() {
    let storage = MemoryStorage<Set<Int>>([1])
    let favorites = SharedValue([], keptIn: storage, scheduler: time.scheduler)
    let test = TestComposer(Bookshelf(favorites), in: time)
    #expect(test.state.favorites == [1])
    test.send(.toggle(7)) { $0.favorites = [1, 7] }
    test.advance(by: .milliseconds(500))
    #expect(storage.value == [1, 7])
    favorites.update(by: "sync") { $0 = [2] }
    test.receiveShared { $0.favorites = [2] }
    test.finish()
  }

  @Test func `settings are kept in a file, and converted from the first version`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(#"{"version":1,"value":{"volume":9}}"#.utf8).write(to: file)
    do {
      let settings = SharedValue(
        Settings(),
        keptIn: FileStorage(file, version: 2) { old in
          Settings(isLoud: try old.decode(SettingsV1.self).volume > 5)
        })
      #expect(settings.value.isLoud)
      settings.update(by: "test") { $0.isLoud = false }
    }
    let settings = SharedValue(Settings(isLoud: true), keptIn: FileStorage(file, version: 2))
    #expect(!settings.value.isLoud)
  }

  @Test func `a volume is kept in the user defaults`() throws {
    let key = "volume-\(UUID())"
    defer { UserDefaults.standard.removeObject(forKey: key) }
    let volume = SharedValue(5, keptIn: UserDefaultsStorage(key: key))
    #expect(volume.value == 5)
    volume.update(by: "test") { $0 = 7 }
    try volume.flush()
    #expect(SharedValue(5, keptIn: UserDefaultsStorage(key: key)).value == 7)
  }

  @Test func `a failure of the file is an action`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "none-\(UUID())/a.json")
    let actions = PublishRelay<Editor.Action>()
    let seen = EventRecorder<Editor.Action>()
    let subscription = actions.subscribe(onNext: { seen.append($0) })
    do {
      let settings = SharedValue(
        Settings(), keptIn: FileStorage(file), onFailure: { actions.accept(.notKept("\($0)")) })
      settings.update(by: "test") { $0.isLoud = true }
      #expect(throws: FileStorageError.self) { try settings.flush() }
    }
    guard case .notKept(let text) = seen.events.first else { return #expect(Bool(false)) }
    #expect(text.contains("cannot be written: open: No such file or directory"))
    subscription.dispose()
  }

  @Test func `settings of a new file are the default ones`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID()).json")
    let settings = SharedValue(Settings(), keptIn: FileStorage(file))
    try settings.flush()
    #expect(settings.value == Settings())
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }
}
