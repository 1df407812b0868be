import Dispatch
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite("The article on threads and queues", .workerPool)
struct ThreadsAndQueuesArticleTests {
  @Test func `a slow consumer on a queue receives every message while reading pauses`() async throws
  {
    let pair = try await MemoryPeer()
    let (socket, bag) = (pair.socket, DisposeBag())
    let queue = SerialDispatchQueueScheduler(qos: .utility)
    let stored = Watched<[String]>([])
    let gate = DispatchSemaphore(value: 0)
    @Sendable func store(_ message: WebSocketMessage) {
      precondition(!EventLoop.shared.isCurrent)
      gate.wait()
      stored.update { $0.append(message.text ?? "") }
    }
    socket.messages
      .observe(on: queue, buffer: .bounded(64, .suspend))
      .subscribe(onNext: { store($0) })
      .disposed(by: bag)
    for number in 0..<200 { pair.send("\(number)") }
    await EventLoop.shared.settle()
    #expect(stored.value.isEmpty)
    for _ in 0..<200 { gate.signal() }
    await stored.wait { $0.count == 200 }
    #expect(stored.value == (0..<200).map { "\($0)" })
    pair.close()
  }

  @Test func `a lock that is released before a send is free in the observer`() {
    struct Message { let size: Int }
    let sum = Mutex(0)
    let sizes = PublishRelay<Int>()
    var seen: [Int] = []
    let subscription = sizes.asObservable().subscribe(onNext: { size in
      precondition(sum.withLock { $0 } == size, "the lock is taken again")
    })
    for message in [Message(size: 3), Message(size: 4)] {
      let count = sum.withLock { sum in
        sum += message.size
        return sum
      }
      sizes.accept(count)
      seen.append(count)
    }
    #expect(seen == [3, 7])
    subscription.dispose()
  }

  @Test func `observers of a connection are called in order, on the thread of its loop`()
    async throws
  {
    let bag = DisposeBag()
    let received = Watched<[String]>([])
    let server = try WebSocketServer(loops: 2)
    server.connections.subscribe(onNext: { socket in
      let loop = socket.driver.loop
      precondition(loop.isCurrent)
      socket.messages.subscribe(onNext: { message in
        precondition(loop.isCurrent)
        received.update { $0.append(message.text ?? "") }
      })
      .disposed(by: bag)
    })
    .disposed(by: bag)
    let client = WebSocket.connect(to: server.url)
    try await client.connected()
    for number in 0..<100 { try client.send("\(number)") }
    await received.wait { $0.count == 100 }
    #expect(received.value == (0..<100).map { "\($0)" })
    client.close()
    try await client.closed()
  }

  @Test func `an observer of messages may send and close`() async throws {
    let pair = try await MemoryPeer()
    let bag = DisposeBag()
    pair.socket.messages.subscribe(onNext: { [socket = pair.socket] _ in
      try? socket.send("last")
      socket.close()
      #expect(throws: WebSocketError.self) { try socket.send("late") }
    })
    .disposed(by: bag)
    pair.send("first")
    pair.send("second")
    await pair.answerClose()
    try await pair.socket.closed()
    #expect(pair.peer.frames.map(\.first) == [0x81, 0x88])
  }
}
