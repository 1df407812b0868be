import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("StateEffect", .workerPool)
struct StateEffectTests {
  /// Polls each room while the room is joined.
  final class Rooms: Composer, EffectFailureHandling {
    enum Action: Equatable { case join(String), leave(String), received(String), stop, nothing }

    struct State: Equatable {
      var rooms: [String] = []
      var isPolling = false
      var log: [String] = []
    }

    @ComposableState var state: State
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    var failures: [String] = []
    let diary: EventRecorder<String>

    init(_ diary: EventRecorder<String> = EventRecorder(), _ state: State = State()) {
      self.diary = diary
      _state = ComposableState(wrappedValue: state)
    }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .join(let room): state.rooms.append(room)
      case .leave(let room): state.rooms.removeAll { $0 == room }
      case .received(let what): state.log.append(what)
      case .stop: return .cancel(&disposeBag)
      case .nothing: break
      }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<Action>] {
      for room in state.rooms {
        StateEffect(id: room) { [diary] in
          switch room {
          case "failing": .run(.error(Failure()))
          case "short": .send(.received("short"))
          default:
            Observable.interval(.send(.received(room)), period: .seconds(1))
              .do(
                onSubscribe: { diary.append("+\(room)") }, onDispose: { diary.append("-\(room)") })
          }
        }
      }
      if state.isPolling {
        StateEffect(id: 0) { .interval(.send(.received("poll")), period: .seconds(1)) }
      } else if state.rooms.isEmpty {
        StateEffect(id: 1) { .send(.received("empty")) }
      }
    }

    func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
      failures.append("\(failure)")
      return .none
    }
  }

  let time = VirtualTime()
  let diary = EventRecorder<String>()

  func screen(_ state: Rooms.State = Rooms.State(rooms: ["a"])) -> Screen<Rooms> {
    time.run { Screen(Rooms(diary, state)) }
  }

  @Test func `state effects run while the state has them, from the first state on`() {
    let screen = screen()
    #expect(diary.events == ["+a"])
    screen.composer.action.accept(.join("b"))
    screen.composer.action.accept(.nothing)
    #expect(diary.events == ["+a", "+b"])
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.log == ["a", "b"])
    screen.composer.action.accept(.leave("a"))
    #expect(diary.events == ["+a", "+b", "-a"])
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log == ["a", "b", "b"])
  }

  @Test func `a write from outside starts and ends state effects`() {
    let screen = screen()
    screen.composer.state.rooms = ["c"]
    #expect(Set(diary.events) == ["+a", "-a", "+c"])
  }

  @Test func `state effects continue when the composer's bag is cancelled or replaced`() {
    let screen = screen()
    screen.composer.action.accept(.stop)
    screen.composer.disposeBag = DisposeBag()
    time.advance(by: .milliseconds(1_500))
    #expect(diary.events == ["+a"])
    #expect(screen.composer.state.log == ["a"])
  }

  @Test func `state effects continue when other code disposes of a replaced bag`() {
    let rooms = Rooms(diary, Rooms.State(rooms: ["a"]))
    var bag = rooms.disposeBag
    let executor = ManualExecutor()
    let composed = Composed(sending: rooms, on: executor)
    _ = Observable<Effect<Rooms.Action>>.cancel(&bag).subscribe()
    for _ in 0..<10 { executor.run() }
    #expect(executor.jobs.withLock { $0.count } == 0)
    #expect(diary.events == ["+a"])
    withExtendedLifetime(composed) {}
  }

  @Test func `state effects end with the composer, also after its bag was replaced`() {
    for isReplaced in [false, true] {
      let relay: PublishRelay<Rooms.Action>
      do {
        let screen = screen(Rooms.State(rooms: [isReplaced ? "new" : "old"]))
        relay = screen.composer.action
        if isReplaced {
          relay.accept(.stop)
          screen.composer.disposeBag = DisposeBag()
        }
      }
      relay.accept(.nothing)
    }
    #expect(diary.events == ["+old", "-old", "+new", "-new"])
  }

  @Test func `an ended state effect starts again only after its id has disappeared`() {
    let screen = screen(Rooms.State())
    #expect(screen.composer.state.log == ["empty"])
    screen.composer.action.accept(.nothing)
    #expect(screen.composer.state.log == ["empty"])
    screen.composer.action.accept(.join("short"))
    screen.composer.action.accept(.leave("short"))
    #expect(screen.composer.state.log == ["empty", "short", "empty"])
  }

  @Test func `effectFailed receives errors of state effects with their ids`() {
    let screen = screen(Rooms.State(rooms: ["failing"]))
    #expect(screen.composer.failures == ["Failure() from the state effect failing"])
  }

  @Test func `state effects start where the composer reduces, before any action`() {
    let executor = ManualExecutor()
    let composed = Composed(sending: Rooms(diary, Rooms.State(rooms: ["a"])), on: executor)
    composed.send(.leave("a"))
    #expect(diary.events.isEmpty)
    executor.run()
    #expect(diary.events == ["+a", "-a"])
  }

  /// Returns the newest effect first.
  final class Stack: Composer {
    struct Key: Hashable, Sendable {
      let name: String
      let hashed: EventRecorder<String>

      static func == (first: Key, second: Key) -> Bool { first.name == second.name }

      func hash(into hasher: inout Hasher) {
        hashed.append(name)
        hasher.combine(name)
      }
    }

    struct State { var names: [String] = [] }
    @ComposableState var state = State()
    var action = PublishRelay<String>()
    var disposeBag = DisposeBag()
    let hashed = EventRecorder<String>()

    func reducer(_ state: inout State, _ action: String) -> Observable<Effect<String>> {
      if !action.isEmpty { state.names.insert(action, at: 0) }
      return .none
    }

    func stateEffects(_ state: State) -> [StateEffect<String>] {
      for name in state.names { StateEffect(id: Key(name: name, hashed: hashed)) { .never() } }
    }
  }

  @Test(arguments: [["a"], ["a", "b"], ["a", "a"]])
  func `equal lists of state effects start each effect once`(names: [String]) {
    let screen = time.run { Screen(Stack()) }
    for name in names { screen.composer.action.accept(name) }
    let hashed = screen.composer.hashed.events
    screen.composer.action.accept("")
    #expect(screen.composer.hashed.events == hashed)
  }

  @Test func `of two state effects with one id, one starts`() {
    let screen = screen(Rooms.State(rooms: ["a", "a"]))
    screen.composer.action.accept(.nothing)
    #expect(diary.events == ["+a"])
  }
}
