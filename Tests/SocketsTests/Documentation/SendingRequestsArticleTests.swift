import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

/// The examples of SendingRequests.md.
@Suite("The article on requests", .workerPool)
struct RequestsArticleTests {
  struct Add: Codable, Identifiable { var id: Int, a: Int, b: Int }
  struct Sum: Codable, Equatable { var id: Int, total: Int }

  struct Order: Encodable, Identifiable {
    var reference: String
    var id: String { reference }
  }

  struct Header: Decodable { var id: Int }

  struct Call<Params: Codable & Sendable>: Encodable, Identifiable {
    var id: Int, method: String, params: Params
  }

  struct Response<Result: Decodable & Sendable>: Decodable { var result: Result }

  struct Outcome<Result: Decodable & Sendable>: Decodable {
    var result: Result?
    var error: ServerError?
  }

  struct ServerError: Decodable, Equatable { var code: Int }
  struct Total: Codable, Identifiable { var id: Int }
  struct News: Codable, Equatable { var headline: String }

  final class Calculator: Composer {
    enum Action: Equatable {
      case join(String), open, addTapped, received(News), added(Sum), notAdded(RequestError)
      case totalTapped, failed(String)
    }
    struct State: Equatable {
      var lastID = 0
      var total = 0
      var problem: String?
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let connect: @Sendable () -> any WebSocketType
    private let socket = SocketHandle()

    init(connect: @escaping @Sendable () -> any WebSocketType) { self.connect = connect }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .open: return .socket(connect(), as: News.self, handle: socket) { .received($0) }
      case .join(let url):
        return .socket(url, as: News.self, handle: socket) { .received($0) }
      case .addTapped:
        state.lastID += 1
        return socket.request(Add(id: state.lastID, a: 1, b: 2), as: Sum.self, matching: \.id) {
          .added($0)
        } failed: {
          .notAdded($0)
        }
        .cancellable(id: "add")
      case .added(let sum): state.total = sum.total
      case .notAdded(let error): state.problem = "\(error)"
      case .totalTapped:
        state.lastID += 1
        return socket.request(Total(id: state.lastID), as: Sum.self, matching: \.id) { .added($0) }
          .retry(.fixed(.seconds(1), maxAttempts: 3))
          .catch { .send(.failed("\($0)")) }
      case .failed(let problem): state.problem = problem
      case .received: break
      }
      return .none
    }
  }

  private final class Numbers: Sendable {
    private let last = Locked(100)

    func next() -> Int {
      last.withLock { last in
        last += 1
        return last
      }
    }
  }

  /// A socket whose peer answers each kind of request.
  private func connected() -> (client: MockWebSocket, server: MockWebSocket, DisposeBag) {
    let (client, server) = MockWebSocket.pair()
    let bag = DisposeBag()
    server.messages
      .subscribe(onNext: { message in
        if let add = try? message.decode(Add.self) {
          try? server.send(json: Sum(id: add.id, total: add.a + add.b))
        } else if let total = try? message.decode(Total.self) {
          let text = message.text ?? ""
          let result = text.contains("params") ? #""result":3"# : #""total":9"#
          try? server.send("{\"id\":\(total.id),\(result)}")
        }
      })
      .disposed(by: bag)
    return (client, server, bag)
  }

  @Test func `the article's request returns its reply`() async throws {
    let (socket, _, bag) = connected()
    let sum = try await socket.request(
      Add(id: 7, a: 1, b: 2), as: Sum.self, matching: \.id, timeout: .seconds(5)
    )
    #expect(sum == Sum(id: 7, total: 3))
    withExtendedLifetime(bag) {}
  }

  @Test func `the article's repetitions have keys of their own`() throws {
    let (socket, server) = MockWebSocket.pair()
    let bag = DisposeBag()
    let ids = Numbers()
    let received = Locked<[Int]>([])
    server.messages
      .subscribe(onNext: { message in
        guard let add = try? message.decode(Add.self) else { return }
        let isFirst = received.withLock { received in
          received.append(add.id)
          return received.count == 1
        }
        if isFirst {
          try? server.send("{\"id\":\(add.id),\"total\":null}")
        } else {
          try? server.send(json: Sum(id: add.id, total: 3))
        }
      })
      .disposed(by: bag)
    let time = VirtualTime()
    let sum = Single.deferred {
      socket.request(Add(id: ids.next(), a: 1, b: 2), as: Sum.self, matching: \.id)
    }
    .retry(3)
    let sums = Locked<[Sum]>([])
    time.run { sum.subscribe(onSuccess: { sum in sums.withLock { $0.append(sum) } }) }
      .disposed(by: bag)
    time.advance(by: .seconds(10))
    #expect(received.withLock { $0 } == [101, 102])
    #expect(sums.withLock { $0 } == [Sum(id: 102, total: 3)])
  }

  @Test func `the article's key has another name in the JSON`() throws {
    let (socket, server) = MockWebSocket.pair()
    struct Receipt: Decodable { var order: String }
    let received = Locked<[String]>([])
    let subscription = socket.request(
      Order(reference: "A7"), as: Receipt.self, matching: \.order
    )
    .subscribe(onSuccess: { receipt in received.withLock { $0.append(receipt.order) } })
    #expect(server.received == [.text(#"{"reference":"A7"}"#)])
    try server.send(#"{"order":"A7"}"#)
    #expect(received.withLock { $0 } == ["A7"])
    subscription.dispose()
  }

  @Test func `the article's counts are read`() throws {
    let (socket, server) = MockWebSocket.pair()
    let lines = Locked<[String]>([])
    func log(_ line: String) { lines.withLock { $0.append(line) } }
    socket.request(Total(id: 1), as: Sum.self, matching: \.id).subscribe().dispose()
    try server.send(json: Sum(id: 1, total: 1))
    let metrics = socket.pendingRequests.metrics
    log("\(metrics.waiting) waiting, \(metrics.lateReplies) late")
    #expect(lines.withLock { $0 } == ["0 waiting, 1 late"])
  }

  @Test func `the article's envelopes have one header`() async throws {
    let (socket, _, bag) = connected()
    let sum = try await socket.request(
      Call(id: 1, method: "add", params: [1, 2]), as: Response<Int>.self, matching: \Header.id
    ).result
    #expect(sum == 3)
    withExtendedLifetime(bag) {}
    let (client, server) = MockWebSocket.pair()
    let call = Call(id: 2, method: "div", params: [1, 0])
    async let outcome = client.request(call, as: Outcome<Int>.self, matching: \Header.id)
    for try await _ in server.messages.values {
      try server.send(#"{"id":2,"error":{"code":-1}}"#)
      break
    }
    #expect(try await outcome.error == ServerError(code: -1))
  }

  @Test func `the article's idempotent request is sent again`() async throws {
    let first = Watched<MockWebSocket?>(nil)
    let (second, _, bag) = connected()
    let ids = Numbers()
    let socket = ReconnectingWebSocket(
      connect: {
        if first.value != nil { return second }
        let (client, server) = MockWebSocket.pair()
        first.update { $0 = server }
        return client
      }, strategy: .fixed(.zero))
    socket.connect()
    let cut = Task {
      await first.wait { $0 != nil }
      guard let server = first.value else { return }
      for try await _ in server.messages.values { break }
      server.fail(.connectionLost)
    }
    let total = try await socket.request(
      Total(id: ids.next()), as: Sum.self, matching: \.id, whenLost: .resend
    )
    #expect(total == Sum(id: 101, total: 9))
    try await cut.value
    socket.close()
    withExtendedLifetime(bag) {}
  }

  @Test func `the article's composer sends a request again, with the same key`() throws {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Calculator(connect: { client }))
    test.send(.open)
    test.send(.totalTapped) { $0.lastID = 1 }
    test.advance(by: .seconds(12))
    #expect(server.received.count == 2)
    try server.send(json: Sum(id: 1, total: 9))
    test.receive(.added(Sum(id: 1, total: 9))) { $0.total = 9 }
    test.send(.totalTapped) { $0.lastID = 2 }
    test.advance(by: .seconds(43))
    test.receive(.failed("no reply within 10.0 seconds")) {
      $0.problem = "no reply within 10.0 seconds"
    }
    #expect(server.received.count == 6)
    server.close()
    test.finish()
  }

  @Test func `the article's composer adds, and reports a missing reply`() throws {
    let (client, server) = MockWebSocket.pair()
    let test = TestComposer(Calculator(connect: { client }))
    test.send(.open)
    test.send(.addTapped) { $0.lastID = 1 }
    try server.send(json: Sum(id: 1, total: 3))
    test.receive(.added(Sum(id: 1, total: 3))) { $0.total = 3 }
    test.send(.addTapped) { $0.lastID = 2 }
    test.advance(by: .seconds(10))
    test.receive(.notAdded(.timedOut(after: .seconds(10)))) {
      $0.problem = "no reply within 10.0 seconds"
    }
    server.close()
    test.finish()
  }
}
