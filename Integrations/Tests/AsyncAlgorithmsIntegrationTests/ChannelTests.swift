import AsyncAlgorithms
import AsyncAlgorithmsIntegration
import IntegrationTestSupport
import Sockets
import Testing

@Suite(.timeLimit(.minutes(2))) struct ChannelTests {
  private struct Failure: Error {}

  @Test func `elements arrive in a channel in order, which finishes with the observable`()
    async throws
  {
    let channel = AsyncChannel<Int>()
    async let sent: Void = Observable.range(start: 1, count: 100).send(to: channel)
    var received: [Int] = []
    for await element in channel { received.append(element) }
    try await sent
    #expect(received == Array(1...100))
  }

  @Test func `a channel that nobody reads suspends the source`() async throws {
    let made = Watched(0)
    let channel = AsyncChannel<Int>()
    let source = Observable<Int>.generate(
      initialState: 0, condition: { $0 < 1_000 }, iterate: { $0 + 1 }
    ).do(onNext: { _ in made.update { $0 += 1 } })
    async let sent: Void = source.send(to: channel, buffer: .bounded(4, .suspend))
    var iterator = channel.makeAsyncIterator()
    for count in 1...1_000 {
      #expect(await iterator.next() == count - 1)
      // The buffer, one on its way into the channel, and one that was just taken.
      #expect(made.value <= count + 4 + 2)
    }
    #expect(await iterator.next() == nil)
    try await sent
  }

  @Test func `an error fails a throwing channel, and is thrown for one that cannot fail`()
    async throws
  {
    let source = Observable.concat(.just(1), .error(Failure()))
    let throwing = AsyncThrowingChannel<Int, any Error>()
    async let sent: Void = source.send(to: throwing)
    var received: [Int] = []
    await #expect(throws: Failure.self) {
      for try await element in throwing { received.append(element) }
    }
    await sent
    #expect(received == [1])

    let channel = AsyncChannel<Int>()
    let failing = Task { try await source.send(to: channel) }
    for await element in channel { received.append(element) }
    await #expect(throws: Failure.self) { try await failing.value }
    #expect(received == [1, 1])
  }

  @Test func `a cancelled task disposes of the subscription and finishes the channel`() async throws
  {
    let subject = PublishSubject<Int>()
    let isSubscribed = Watched<Bool?>(nil)
    let source = subject.do(
      onSubscribed: { isSubscribed.update { $0 = true } },
      onDispose: { isSubscribed.update { $0 = false } })
    let channel = AsyncThrowingChannel<Int, any Error>()
    let task = Task { await source.send(to: channel) }
    try await isSubscribed.wait { $0 == true }
    task.cancel()
    await task.value
    try await isSubscribed.wait { $0 == false }
    for try await _ in channel { Issue.record("an element") }
  }

  @Test func `a cancelled task that sends to a channel says that elements were not sent`()
    async throws
  {
    let isCancelled = Watched(false)
    let task = Task {
      try? await isCancelled.wait { $0 }
      try await Observable.range(start: 0, count: 10).send(to: AsyncChannel<Int>())
    }
    task.cancel()
    isCancelled.update { $0 = true }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a channel is an observable, whose sender waits for the observer's buffer`()
    async throws
  {
    let channel = AsyncChannel<Int>()
    let count = Watched(0)
    let sender = Task {
      for number in 1...100 {
        await channel.send(number)
        count.update { $0 = number }
      }
      channel.finish()
    }
    var received: [Int] = []
    for try await number in channel.asObservable().values(buffer: .bounded(4, .suspend)) {
      received.append(number)
      #expect(count.value <= number + 4 + 2)
    }
    await sender.value
    #expect(received == Array(1...100))
  }

  @Test func `algorithms of the library apply to the messages of a WebSocket, and back`()
    async throws
  {
    let server = try WebSocketServer(configuration: .quiet)
    let echo = Echo(server)
    let socket = WebSocket.connect(to: server.url, configuration: .quiet)
    try await socket.connected()
    for number in 1...6 { try socket.send("\(number)") }
    let pairs = socket.values.prefix(6).compactMap(\.text).chunks(ofCount: 2)
    let sums = pairs.asObservable().map { $0.compactMap(Int.init).reduce(0, +) }
    var received: [Int] = []
    for try await sum in sums.values { received.append(sum) }
    #expect(received == [3, 7, 11])
    withExtendedLifetime(echo) {}
  }
}
