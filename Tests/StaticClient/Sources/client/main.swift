import Sockets

/// Sends a message to a server and prints its answer.
final class Client: Composer {
  enum Action: Sendable {
    case open(url: String), received(WebSocketMessage)
    case socket(SocketLifecycleEvent), failed(any Error)
  }
  struct State: Sendable { var answer: String?, problem: String? }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let socket = SocketHandle()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open(let url):
      return .socket(WebSocket(url), handle: socket) {
        .received($0)
      } lifecycle: {
        .socket($0)
      }
    case .socket(.connected): return socket.send("hello") { .failed($0) }
    case .received(let message): state.answer = message.text
    case .socket(.error(let error)): state.problem = "\(error)"
    case .failed(let error): state.problem = "\(error)"
    case .socket: break
    }
    return .none
  }
}

// The server is in the same process, so that the program needs no network.
let server = try WebSocketServer(port: 0)
let bag = DisposeBag()
server.connections
  .subscribe(onNext: { socket in
    socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
  })
  .disposed(by: bag)

let client = Composed(sending: Client())
client.send(.open(url: server.url))
for try await state in client.states.values {
  if let problem = state.problem { fatalError(problem) }
  guard let answer = state.answer else { continue }
  print(answer)
  break
}
