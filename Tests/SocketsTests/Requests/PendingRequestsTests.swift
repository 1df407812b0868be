import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The requests of a socket that wait", .workerPool)
struct PendingRequestsTests {
  /// A socket of a program's own, whose sends and messages the test sees.
  final class OwnSocket: WebSocketType {
    let pendingRequests = PendingRequests()
    let sent = Watched<[WebSocketMessage]>([])
    let isOpen = Locked(true)
    private let subject = PublishSubject<WebSocketMessage>()

    var state: WebSocketState { isOpen.withLock { $0 } ? .connected : .disconnected }
    var states: Observable<WebSocketState> { .just(state) }
    var events: Observable<WebSocketEvent> { messages.map { .message($0) } }
    var messages: Observable<WebSocketMessage> { subject.asObservable() }
    var subprotocol: String? { nil }

    func connect() {}

    func send(_ message: WebSocketMessage) throws(WebSocketError) {
      guard state == .connected else { throw .notConnected(state) }
      sent.update { $0.append(message) }
    }

    func receive(_ text: String) {
      if !pendingRequests.take(.text(text)) { subject.onNext(.text(text)) }
    }

    func close(code: CloseCode, reason: String) {
      isOpen.withLock { $0 = false }
      pendingRequests.connectionEnded(.closed(code: code, reason: reason))
    }
  }

  private let log = RequestLog()

  @Test func `a socket of a program's own has requests`() {
    let socket = OwnSocket()
    let texts = Locked<[String?]>([])
    let subscription = socket.messages
      .subscribe(onNext: { message in texts.withLock { $0.append(message.text) } })
    for id in 1...2 {
      log.start(id, socket.request(Ask(id: id), as: Answer.self, matching: \.id))
    }
    socket.receive("ordinary")
    socket.receive(#"{"id":2,"text":"two"}"#)
    socket.close(code: 4_000, reason: "")
    log.start(3, socket.request(Ask(id: 3), as: Answer.self, matching: \.id))
    #expect(log.results == ["2: two", "1: lost(closed 4000)", "3: not sent(disconnected)"])
    #expect(texts.withLock { $0 } == ["ordinary"])
    subscription.dispose()
  }

  @Test func `a socket that ends between the send and its return fails the request`() {
    let requests = PendingRequests()
    let reader = ReplyReader(\Header.id, nil)
    let outcomes = Locked<[String]>([])
    let request = OutgoingRequest(
      .text("x"), key: 1, reader, timeout: .seconds(1), whenLost: .resend
    ) { outcome in
      if case .failure(let error) = outcome { outcomes.withLock { $0.append(error.short) } }
    }
    let time = VirtualTime()
    let subscription = requests.start(request, on: time.scheduler) { _ in
      requests.connectionEnded(.connectionLost)
    }
    #expect(outcomes.withLock { $0 } == ["lost(cut)"])
    time.advance(by: .seconds(1))
    subscription.dispose()
    #expect(outcomes.withLock { $0 }.count == 1)
  }

  @Test func `a request that the ended socket refuses was not sent`() {
    let requests = PendingRequests()
    let outcomes = Locked<[String]>([])
    let request = OutgoingRequest(
      .text("x"), key: 1, ReplyReader(\Header.id, nil), timeout: .seconds(1), whenLost: .fail
    ) { outcome in
      if case .failure(let error) = outcome { outcomes.withLock { $0.append(error.short) } }
    }
    _ = requests.start(request, on: VirtualTime().scheduler) { _ throws(WebSocketError) in
      requests.connectionEnded(.connectionLost)
      throw .notConnected(.disconnected)
    }
    #expect(outcomes.withLock { $0 } == ["not sent(disconnected)"])
  }

  @Test func `late replies of the last 1,024 requests are known, and no reader stays in use`() {
    let socket = OwnSocket()
    for id in 0...1_024 {
      log.start(id, socket.request(Ask(id: id), as: Answer.self, matching: \.id))
      log.dispose(id)
    }
    for id in 0...1_024 { socket.receive(#"{"id":\#(id),"text":""}"#) }
    #expect(socket.pendingRequests.metrics.lateReplies == 1_024)
    // The first one was forgotten.
    #expect(socket.pendingRequests.metrics.unmatchedReplies == 1)
    socket.receive(#"{"id":5,"text":""}"#)
    #expect(socket.pendingRequests.metrics.unmatchedReplies == 1)
  }

  @Test func `threads that start, answer and dispose at once lose no request`() async {
    let socket = OwnSocket()
    let ends = Locked<[Int: Int]>([:])
    let count = 400
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for index in 0..<count {
            let id = thread * count + index
            let subscription = socket.request(
              Ask(id: id), as: Answer.self, matching: \.id, timeout: .seconds(60)
            )
            .subscribe { _ in ends.withLock { $0[id, default: 0] += 1 } }
            if index % 4 == 0 { subscription.dispose() }
          }
        }
      }
      group.addTask {
        var answered = 0
        while answered < 4 * count {
          let known = answered
          await socket.sent.wait { $0.count > known }
          let sent = socket.sent.value[known...]
          for ask in sent.compactMap({ try? $0.decode(Ask.self) }) {
            socket.receive(#"{"id":\#(ask.id),"text":""}"#)
          }
          answered += sent.count
        }
      }
    }
    let metrics = socket.pendingRequests.metrics
    #expect(metrics.waiting == 0 && metrics.unmatchedReplies == 0)
    let ended = ends.withLock { $0 }
    #expect(ended.values.allSatisfy { $0 == 1 })
    // A request that is disposed of while its reply is delivered has neither an end nor a late reply.
    #expect(ended.count + metrics.lateReplies <= 4 * count)
    #expect(ended.count >= 3 * count)
    #expect(Set(0..<4 * count).subtracting(ended.keys).allSatisfy { $0 % count % 4 == 0 })
  }
}
