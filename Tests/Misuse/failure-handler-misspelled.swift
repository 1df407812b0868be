// refused: type 'Pollers' does not conform to protocol 'EffectFailureHandling'
//
// A handler of failures with another signature would never be called.
import Compose

final class Pollers: Composer, EffectFailureHandling {
  enum Action { case poll }
  struct State { var count = 0 }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }

  func effectFailed(_ error: any Error, from action: Action) -> Observable<Effect<Action>> { .none }
}
