import Compose
import ReactiveTesting

/// A composer for tests of timelines: ticks, a joined room, and effects with every outcome.
final class Room: Composer, EffectFailureHandling {
  enum Action: Codable, Equatable {
    case start, tick, done, stop, load, fail, giveUp
    case join(String), leave, both, note(String)
  }

  struct State: Codable, Equatable {
    var count = 0
    var name: String?
    var notes: [String] = []
    @PresentState var alert: String?
  }

  enum ID { case ticks }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  /// The number that a tick adds.
  private let tick: Int

  init(tick: Int = 1) { self.tick = tick }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start: return .interval(.send(.tick), period: .seconds(1)).cancellable(id: ID.ticks)
    case .tick:
      state.count += tick
      return state.count == 2 ? .send(.done) : .none
    case .done:
      state.alert = "done"
      return .cancel(id: ID.ticks)
    case .stop: return .cancel(&disposeBag)
    case .load: return .run(.just(.tick))
    case .fail: return .run(.error(Failure()))
    case .giveUp: return .run(.error(CancellationError()))
    case .join(let name): state.name = name
    case .leave: state.name = nil
    case .both: return .group(.note("a"), .note("b"))
    case .note(let note): state.notes.append(note)
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if let name = state.name {
      StateEffect(id: name) { .interval(.send(.note(name)), period: .seconds(1)) }
    }
  }

  func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> { .none }

  typealias Recorded = Timeline<State, Action>

  /// Returns the timeline of a new room that is sent `actions` and then runs for `seconds`.
  static func timeline(
    _ actions: Action..., seconds: Int = 0, tick: Int = 1, limit: Int = 1_000,
    clock: VirtualTime = VirtualTime()
  ) -> Recorded {
    let room = clock.run { Composed(sending: Room(tick: tick)) }
    let recorder = TimelineRecorder(room.trace, limit: limit)
    return withExtendedLifetime(room) {
      for action in actions { room.send(action) }
      clock.advance(by: .seconds(seconds))
      return recorder.timeline
    }
  }
}
