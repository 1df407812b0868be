import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("A request as an effect", .workerPool)
struct SocketRequestEffectTests {
  final class Calculator: Composer, EffectFailureHandling {
    enum Action: Equatable {
      case join, leave, ask(Int), call(Int), plain(Int), cancel
      case received(Answer), answered(Answer), failed(String)
    }
    struct State: Equatable { var texts: [String] = [] }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connect: @Sendable () -> any WebSocketType
    private let socket = SocketHandle()

    init(connect: @escaping @Sendable () -> any WebSocketType) { self.connect = connect }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .join:
        return .socket(connect(), as: Answer.self, handle: socket) { .received($0) }
          .cancellable(id: "socket")
      case .leave: return .cancel(id: "socket")
      case .ask(let id):
        return socket.request(Ask(id: id), as: Answer.self, matching: \.id, timeout: .seconds(5)) {
          .answered($0)
        } failed: {
          .failed($0.short)
        }
        .cancellable(id: "ask")
      case .call(let id):
        return socket.request(Ask(id: id), as: Answer.self, matching: \Header.id) {
          .answered($0)
        } failed: {
          .failed($0.short)
        }
      case .plain(let id):
        return socket.request(Ask(id: id), as: Answer.self, matching: \.id) { .answered($0) }
      case .cancel: return .cancel(id: "ask")
      case .received(let message): state.texts.append("message \(message.text)")
      case .answered(let answer): state.texts.append(answer.text)
      case .failed(let problem): state.texts.append(problem)
      }
      return .none
    }

    func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
      .send(.failed("uncaught \((failure.error as? RequestError)?.short ?? "")"))
    }
  }

  private let pair = MockWebSocket.pair()

  private func joined() -> TestComposer<Calculator> {
    let pair = pair
    let test = TestComposer(Calculator { pair.client })
    test.send(.join)
    return test
  }

  @Test func `a reply is an action, and no message of the socket's effect`() throws {
    let test = joined()
    test.send(.ask(7))
    #expect(pair.server.asks == [Ask(id: 7)])
    try pair.server.answer(7, "reply")
    test.receive(.answered(Answer(id: 7, text: "reply"))) { $0.texts = ["reply"] }
    try pair.server.answer(8, "other")
    test.receive(.received(Answer(id: 8, text: "other"))) { $0.texts = ["reply", "message other"] }
    test.send(.leave)
    test.finish()
  }

  @Test func `a failed request is an action`() throws {
    let test = joined()
    test.send(.call(1))
    try pair.server.send(#"{"id":1}"#)
    test.receive(.failed("invalid reply")) { $0.texts = ["invalid reply"] }
    test.send(.ask(2))
    test.send(.ask(2))
    test.receive(.failed("key 2 in use")) { $0.texts.append("key 2 in use") }
    pair.server.close(code: 4_000)
    test.receive(.failed("lost(closed 4000)")) { $0.texts.append("lost(closed 4000)") }
    test.finish()
  }

  @Test func `without a mapping a failure goes to the composer`() {
    let test = joined()
    test.send(.plain(1))
    pair.server.close(code: 4_000)
    test.receive(.failed("uncaught lost(closed 4000)")) {
      $0.texts = ["uncaught lost(closed 4000)"]
    }
    test.finish()
  }

  @Test func `a request without a socket fails`() {
    let pair = pair
    let test = TestComposer(Calculator { pair.client })
    test.send(.ask(1))
    test.receive(.failed("not sent(disconnected)")) { $0.texts = ["not sent(disconnected)"] }
    test.send(.plain(1))
    test.receive(.failed("uncaught not sent(disconnected)")) {
      $0.texts.append("uncaught not sent(disconnected)")
    }
    test.finish()
  }

  @Test func `the deadline of a request follows the composer's clock`() {
    let test = joined()
    test.send(.ask(1))
    test.advance(by: .milliseconds(4_999))
    test.advance(by: .milliseconds(1))
    test.receive(.failed("timed out after 5.0 seconds")) {
      $0.texts = ["timed out after 5.0 seconds"]
    }
    test.send(.leave)
    test.finish()
  }

  @Test func `a cancelled request sends no action, and its late reply is counted`() throws {
    let test = joined()
    test.send(.ask(1))
    test.send(.cancel)
    try pair.server.answer(1)
    #expect(pair.client.pendingRequests.metrics.lateReplies == 1)
    test.send(.leave)
    test.finish()
  }

  @Test func `the end of the composer ends its requests`() {
    let pair = pair
    let time = VirtualTime()
    var composed: Composed? = Composed(sending: Calculator { pair.client }, on: .virtual(time))
    composed?.send(.join)
    composed?.send(.ask(1))
    time.settle()
    #expect(pair.client.pendingRequests.metrics.waiting == 1)
    composed = nil
    #expect(pair.client.pendingRequests.metrics.waiting == 0)
    #expect(pair.server.state == .disconnected)
  }
}
