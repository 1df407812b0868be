import Sockets

/// Keeps the tasks equal to those of a server, over a socket that connects again after a loss.
///
/// The reducer returns no effect: the state declares what runs. While the socket is connected, the
/// tasks are fetched once, and then the oldest unconfirmed change is sent, until none is left.
final class Sync: Composer {
  enum Action: Codable, Equatable {
    case socket(SocketLifecycleEvent), fetched(Reply), confirmed(Reply), received(Change)
  }

  struct State: Codable, Equatable {
    enum Link: String, Codable { case offline, fetching, online }
    @Shared var tasks = TaskList()
    var link = Link.offline
    @PresentState var alert: String?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket: SocketHandle

  init(_ socket: SocketHandle) { self.socket = socket }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .socket(.connected): state.link = .fetching
    case .socket(.waiting), .socket(.disconnected): state.link = .offline
    case .socket(.error), .socket(.undecodable): break
    case .fetched(let reply):
      state.tasks.replace(with: reply.items)
      state.link = .online
    case .confirmed(let reply):
      state.tasks.unsynced.removeAll { $0.id == reply.id }
      // The change was refused, or others have followed it: the server's tasks replace those shown.
      if reply.problem != nil || reply.isRepeated { state.link = .fetching }
      if let problem = reply.problem { state.alert = problem }
    case .received(let change): state.tasks.receive(change)
    }
    return .none
  }

  func stateEffects(_ state: State) -> [StateEffect<Action>] {
    StateEffect(id: "socket") { [socket] in
      .socket(
        Dependencies.current.api.socket(), as: Change.self, handle: socket,
        received: Action.received, lifecycle: Action.socket)
    }
    if state.link == .fetching {
      StateEffect(id: "fetch") { [socket] in
        socket.ask(Request(id: Dependencies.current.uuid(), content: .fetch), Action.fetched)
      }
    }
    if state.link == .online, let change = state.tasks.unsynced.first {
      StateEffect(id: change.id) { [socket] in
        socket.ask(Request(id: change.id, content: .change(change)), Action.confirmed)
      }
    }
  }
}

extension SocketHandle {
  /// Sends a request until it is answered.
  ///
  /// The server may receive it twice, and changes nothing the second time.
  fileprivate func ask(
    _ request: Request, _ answered: @escaping @Sendable (Reply) -> Sync.Action
  ) -> Observable<Effect<Sync.Action>> {
    self.request(request, as: Reply.self, matching: \.id, received: answered)
      .retry(.exponential(maxAttempts: nil))
  }
}
