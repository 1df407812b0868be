import Compose

struct Service: Sendable {
  func load() async throws -> Int { 1 }
}

class Counter: Composer {
  enum Action { case add(Int) }
  struct State { var count = 0 }
  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let service = Service()
  var note = ""

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> { .none }
}
