// refused: type 'Boxes.Action' does not conform to the 'Sendable' protocol
//
// Actions travel between threads.
import Compose

final class Box { var number = 0 }

final class Boxes: Composer {
  enum Action { case take(Box) }
  struct State { var count = 0 }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
}
