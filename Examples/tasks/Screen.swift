import Sockets

/// A screen above the list: a task, or its history.
final class Screen: Composer {
  enum Action: Codable, Equatable { case history(History.Action) }
  enum State: Codable, Equatable { case detail(Item.ID), history(History.State) }

  @ComposableState var state = State.detail(Item().id)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  let history: Child<State, Action, History>

  init(_ socket: SocketHandle) {
    history = Child(
      case: State.history, { if case .history(let history) = $0 { history } else { nil } },
      Action.history
    ) { History(socket) }
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .history(let action): history.reduce(&state, action)
    }
  }
}

/// The versions of a task, which the server has kept: loaded while the screen is open.
final class History: Composer {
  enum Action: Codable, Equatable { case loaded(Reply), failed(RequestError) }

  struct State: Codable, Equatable, Identifiable {
    let id: Item.ID
    var versions: [Item] = []
    var isLoading = true
    var problem: String?
  }

  @ComposableState var state = State(id: Item().id)
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket: SocketHandle

  init(_ socket: SocketHandle) { self.socket = socket }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    state.isLoading = false
    switch action {
    case .loaded(let reply): state.versions = reply.items
    case .failed(let error): state.problem = "\(error)"
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    if state.isLoading {
      StateEffect(id: "load") { [socket] in
        let request = Request(id: Dependencies.current.uuid(), content: .history(state.id))
        return socket.request(request, as: Reply.self, matching: \.id) {
          .loaded($0)
        } failed: {
          .failed($0)
        }
      }
    }
  }
}
