import Inspector
import ReactiveTesting

/// A composer in virtual time, for the tools that step its clock.
final class Metronome: Composer {
  enum Action: Codable, Sendable { case start, beat }

  struct State: Codable, Equatable, Sendable { var beats = 0 }

  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start: return .interval(.send(.beat), period: .seconds(2))
    case .beat: state.beats += 1
    }
    return .none
  }
}
