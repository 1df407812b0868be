// refused: type 'Boxed.State' does not conform to the 'Sendable' protocol
//
// A state is read on other threads.
import Compose

final class Box { var number = 0 }

final class Boxed: Composer {
  enum Action { case add(Int) }
  struct State { var box = Box() }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
}
