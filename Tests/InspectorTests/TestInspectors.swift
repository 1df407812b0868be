import Inspector

extension Inspector {
  /// An inspector that observes only what is added.
  static func ofAdded(
    _ configure: (inout InspectorConfiguration) -> Void = { _ in }
  ) throws -> Inspector {
    var configuration = InspectorConfiguration()
    configuration.observesAll = false
    configure(&configuration)
    return try Inspector(configuration)
  }
}

/// A server that sends back each message.
struct EchoServer {
  let server: WebSocketServer
  private let bag = DisposeBag()

  init() throws {
    server = try WebSocketServer()
    server.connections
      .subscribe(onNext: { [bag] socket in
        socket.messages.subscribe(onNext: { try? socket.send($0) }).disposed(by: bag)
      })
      .disposed(by: bag)
  }
}

/// A composer whose state is the last action.
final class Holding<Value: Sendable>: Composer {
  typealias Action = Value
  struct State { var value: Value? }
  @ComposableState var state = State()
  let action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    state.value = action
    return .none
  }
}
