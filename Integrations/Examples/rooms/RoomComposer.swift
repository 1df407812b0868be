import Sockets
import Tracing
import TracingIntegration

/// The members of a room: it receives from their sockets, and publishes to all of them.
final class RoomComposer: Composer {
  enum Action {
    case joined(WebSocket)
    case said(String)
    case left
    case close
  }

  struct State {
    var members = 0
    var said = 0
    var isClosed = false
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let publish: @Sendable (String) -> Void

  init(_ publish: @escaping @Sendable (String) -> Void) { self.publish = publish }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .joined(let socket):
      state.members += 1
      return .merge(
        .socket(socket, received: { .said($0.text ?? "") }),
        // Also of a socket that has ended already.
        socket.states.filter { $0 == .disconnected }.map { _ in .send(.left) })
    case .said(let text):
      state.said += 1
      return .fireAndForget { [publish] in publish(text) }
        .span("publish", ofKind: .producer)
    case .left: state.members -= 1
    case .close: state.isClosed = true
    }
    return .none
  }
}
