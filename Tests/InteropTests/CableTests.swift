import Foundation
import ReactiveTesting
import ActionCable
import TestSupport
import Testing

@Suite(
  "Rails' ActionCable",
  .enabled(if: Rails.address != nil, "Tests/Interop/actioncable/run.sh sets the address."),
  .serialized,
  .workerPool
)
struct CableTests {
  private func client(
    user: String,
    _ configure: (inout CableConfiguration) -> Void = { _ in }
  ) -> CableClient {
    var configuration = CableConfiguration()
    configure(&configuration)
    let url = "ws://\(Rails.address ?? "")/cable?token=user-\(user)"
    return CableClient(url, configuration: configuration)
  }

  private func isConfirmed(_ event: CableChannelEvent) -> Bool {
    if case .subscribed = event { true } else { false }
  }

  private let buffering = CableChannelOptions(buffering: .buffer(limit: 100))

  @Test func `C01: a cable connects and disconnects, and Rails has no connection left`()
    async throws
  {
    let client = client(user: "c01")
    var states = ElementQueue(client.states)
    client.connect()
    client.connect()
    _ = try await states.next { $0 == .connected }
    let stats = try await Rails.control("stats")
    #expect(stats.text.contains("c01"))
    client.disconnect()
    client.disconnect()
    while try await Rails.control("stats").text.contains("c01") {}
  }

  @Test func `C22, C16: calls return their data, and the parameters arrive`() async throws {
    let client = client(user: "ann")
    let echo = client.channel("EchoChannel", ["room": 7, "tags": ["a"]], options: buffering)
    var received = ElementQueue(echo.messages)
    client.connect()
    try echo.perform("speak", ["text": "grüße 🎉 <b>&\u{2028}", "n": 1.5])
    #expect(try await received.next() == ["text": "grüße 🎉 <b>&\u{2028}", "n": 1.5])
    try echo.perform("whoami")
    let me = try await received.next()
    #expect(me["user"] == "ann")
    #expect(me["params"] == ["channel": "EchoChannel", "room": 7, "tags": ["a"]])
    try echo.perform("", ["text": "for receive"])
    #expect(try await received.next() == ["received": ["text": "for receive"]])
  }

  @Test
  func `A10, A18, A5: Rails delivers any JSON value, 200 kB at once, and 40 messages in order`()
    async throws
  {
    let client = client(user: "ann")
    let echo = client.channel("EchoChannel", options: buffering)
    var received = ElementQueue(echo.messages)
    client.connect()
    for value: JSONValue in ["text", 12, nil, false, [1, [2]], ["type": "ping"]] {
      try echo.perform("value", ["value": value])
      #expect(try await received.next() == value)
    }
    try echo.perform("large", ["bytes": 200_000])
    #expect(try await received.next()["blob"]?.string?.count == 200_000)
    try echo.perform("burst", ["n": 40])
    for number in 0..<40 { #expect(try await received.next() == ["i": .integer(number)]) }
  }

  @Test func `C09, C10: headers and token are sent again with each attempt`() async throws {
    let tokens = Locked(0)
    var configuration = CableConfiguration(
      headers: ["Cookie": "session=1", "Authorization": "Bearer 2", "X-App": "3"]
    )
    configuration.reconnectJitter = nil
    let client = CableClient(configuration: configuration) {
      let number = tokens.withLock { count in
        count += 1
        return count
      }
      return CableRequest("ws://\(Rails.address ?? "")/cable?token=user-c10x\(number)")
    }
    let echo = client.channel("EchoChannel")
    var (events, received) = (ElementQueue(echo.events), ElementQueue(echo.messages))
    client.connect()
    for attempt in 1...2 {
      _ = try await events.next(where: isConfirmed)
      try echo.perform("headers")
      let headers = try await received.next()
      #expect(headers["HTTP_COOKIE"] == "session=1")
      #expect(headers["HTTP_AUTHORIZATION"] == "Bearer 2")
      #expect(headers["HTTP_X_APP"] == "3")
      try echo.perform("whoami")
      #expect(try await received.next()["user"] == .string("c10x\(attempt)"))
      try await Rails.control("cut?user=c10x\(attempt)")
      _ = try await events.next { if case .disconnected = $0 { true } else { false } }
      client.reconnectNow()
    }
  }

  @Test func `C15, A6: two chats on one connection receive their own messages`() async throws {
    let client = client(user: "ann")
    let chats = (1...2).map { client.channel("ChatChannel", ["chat_id": .integer(9_000 + $0)]) }
    var (first, second) = (ElementQueue(chats[0].events), ElementQueue(chats[1].events))
    client.connect()
    _ = try await first.next(where: isConfirmed)
    _ = try await second.next(where: isConfirmed)
    try chats[0].perform("say", ["text": "to one"])
    #expect(try await first.next() == .message(["from": "ann", "text": "to one"]))
    try await Rails.control("broadcast?stream=chat_9002&json=%7B%22a%22:1%7D")
    #expect(try await second.next() == .message(["a": 1]))
  }

  @Test func `J04, A11: after a cut all channels are subscribed again, and report it`() async throws
  {
    let client = client(user: "j04")
    let channels = (1...3).map { client.channel("ChatChannel", ["chat_id": .integer($0)]) }
    var first = ElementQueue(channels[0].events)
    var second = ElementQueue(channels[1].events)
    var third = ElementQueue(channels[2].events)
    client.connect()
    let confirmed = CableChannelEvent.subscribed(reconnected: false)
    #expect(try await first.next() == confirmed)
    #expect(try await second.next() == confirmed)
    #expect(try await third.next() == confirmed)
    try channels[0].perform("say", ["text": "perhaps lost"])
    _ = try await first.next()
    try await Rails.control("cut?user=j04")
    let lost = CableChannelEvent.performFailed(
      CableCall(action: "say", data: ["text": "perhaps lost"]),
      .mayBeLost
    )
    let reported = try await first.next { if case .performFailed = $0 { true } else { false } }
    #expect(reported == lost)
    client.reconnectNow()
    let again = CableChannelEvent.subscribed(reconnected: true)
    #expect(try await first.next(where: isConfirmed) == again)
    #expect(try await second.next(where: isConfirmed) == again)
    #expect(try await third.next(where: isConfirmed) == again)
  }

  @Test func `J07: a wrong token is refused once, with its reason`() async throws {
    let client = CableClient("ws://\(Rails.address ?? "")/cable?token=wrong")
    var events = ElementQueue(client.events)
    client.connect()
    let ending = CableDisconnection(
      cause: .announced(reason: "unauthorized"),
      willReconnect: false
    )
    #expect(try await events.next() == .disconnected(ending))
    #expect(client.state == .disconnected(.announced(reason: "unauthorized")))
  }

  @Test func `J08: after a restart the cable reconnects and reports the reason`() async throws {
    let client = client(user: "j08")
    let echo = client.channel("EchoChannel")
    var events = ElementQueue(echo.events)
    client.connect()
    _ = try await events.next(where: isConfirmed)
    try await Rails.control("disconnect?reason=server_restart&reconnect=true&user=j08")
    let ending = CableDisconnection(
      cause: .announced(reason: "server_restart"),
      willReconnect: true
    )
    #expect(try await events.next() == .disconnected(ending))
    client.reconnectNow()
    #expect(try await events.next() == .subscribed(reconnected: true))
  }

  @Test func `J12: Rails accepts the default origin, and answers 404 without an origin`()
    async throws
  {
    let client = client(user: "ann") { $0.origin = .none }
    var events = ElementQueue(client.events)
    client.connect()
    guard case .attemptFailed(.socket(.handshake(let refusal)), true) = try await events.next(),
      case .rejected(404, _, _, _) = refusal
    else {
      Issue.record("let in without an origin")
      return
    }
  }

  @Test func `a failed upgrade is retried`() async throws {
    try await Rails.control("fail?next=1")
    let client = client(user: "ann")
    var events = ElementQueue(client.events)
    client.connect()
    _ = try await events.next { if case .attemptFailed(_, true) = $0 { true } else { false } }
    client.reconnectNow()
    #expect(try await events.next() == .connected(reconnected: false))
  }

  @Test func `J05, C29: a missing answer, a rejection and an exception of a channel are reported`()
    async throws
  {
    let client = client(user: "ann") { $0.subscriptionTimeout = .seconds(2) }
    var rejecting = ElementQueue(client.channel("RejectingChannel").events)
    var silent = ElementQueue(client.channel("SilentChannel").events)
    var raising = ElementQueue(client.channel("RaisingChannel").events)
    var unknown = ElementQueue(client.channel("NoSuchChannel").events)
    var greeting = ElementQueue(client.channel("GreetingChannel").events)
    var slow = ElementQueue(client.channel("SlowChannel", ["seconds": 0.7]).events)
    client.connect()
    #expect(try await rejecting.next() == .rejected)
    #expect(try await greeting.next() == .message(["greeting": "hello ann"]))
    #expect(try await greeting.next() == .subscribed(reconnected: false))
    #expect(try await slow.next() == .subscribed(reconnected: false))
    #expect(try await silent.next() == .timedOut(after: .seconds(2)))
    #expect(try await raising.next() == .timedOut(after: .seconds(2)))
    #expect(try await unknown.next() == .timedOut(after: .seconds(2)))
  }

  @Test func `J03: messages keep a connection without pings open`() async throws {
    try await Rails.control("pings?on=false")
    let client = client(user: "ann")
    let tick = client.channel("TickChannel")
    var ticks = ElementQueue(tick.messages)
    let bag = DisposeBag()
    let endings = Locked(0)
    client.events
      .subscribe(onNext: { event in
        if case .disconnected = event { endings.withLock { $0 += 1 } }
      })
      .disposed(by: bag)
    client.connect()
    // Longer than the minimum time for a silent connection to be stale.
    for _ in 0..<16 { _ = try await ticks.next() }
    try await Rails.control("pings?on=true")
    #expect(endings.withLock { $0 } == 0)
  }

  @Test
  func `J13: in a hundred reconnects against four workers each message arrives once`()
    async throws
  {
    let client = client(user: "ann")
    let count = 100
    let channels = (0..<count).map {
      client.channel("ChatChannel", ["chat_id": .string("flap\($0)")])
    }
    let copies = Locked([Int: [String]]())
    let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
    let bag = DisposeBag()
    for (index, channel) in channels.enumerated() {
      channel.messages
        .subscribe(onNext: { message in
          let name = message["a"]?.string ?? ""
          copies.withLock { $0[index, default: []].append(name) }
          arrival.yield(name)
        })
        .disposed(by: bag)
    }
    let confirmations = Observable.merge(channels.map(\.events)).filter(isConfirmed)
    var confirmed = ElementQueue(confirmations)
    client.connect()
    for _ in 0..<count { _ = try await confirmed.next() }
    for channel in channels {
      channel.unsubscribe()
      channel.subscribe()
      channel.unsubscribe()
      channel.subscribe()
    }
    for _ in 0..<count { _ = try await confirmed.next() }
    func broadcast(_ name: String) async throws {
      for index in 0..<count {
        try await Rails.control(
          "broadcast?stream=chat_flap\(index)&json=%7B%22a%22:%22\(name)%22%7D")
      }
    }
    try await broadcast("once")
    // A later message shows that no other message follows.
    try await broadcast("after")
    var (iterator, waiting) = (arrivals.makeAsyncIterator(), count)
    while waiting > 0, let name = await iterator.next() { if name == "after" { waiting -= 1 } }
    #expect(copies.withLock { $0 } == (0..<count).reduce(into: [:]) { $0[$1] = ["once", "after"] })
    // Unsubscribes, and waits until the server has processed it.
    for channel in channels { channel.unsubscribe() }
    while try await Rails.control("stats").text.contains("flap") {}
    try await broadcast("late")
    let echo = client.channel("EchoChannel", options: buffering)
    var received = ElementQueue(echo.messages)
    try echo.perform("speak", ["over": true])
    _ = try await received.next()
    #expect(copies.withLock { $0.values.allSatisfy { !$0.contains("late") } })
    #expect(client.unwantedMessageCount == 0)
  }

  #if canImport(Glibc)
  /// A client behind a proxy in virtual time, and a channel that records executed calls.
  private func noted(
    user: String,
    _ proxy: StallingProxy
  ) -> (client: CableClient, channel: CableChannel, time: VirtualTime) {
    let time = VirtualTime()
    var configuration = CableConfiguration()
    configuration.socket.scheduler = time.scheduler
    let url = "ws://127.0.0.1:\(proxy.port)/cable?token=user-\(user)"
    let client = CableClient(url, configuration: configuration)
    return (client, client.channel("NoteChannel"), time)
  }

  /// The ids of calls that Rails has executed when the connection has ended there.
  private func notes(of user: String) async throws -> Set<Int> {
    while try await Rails.control("stats").text.contains(user) {}
    return Set(try await Rails.control("notes?user=\(user)").integers)
  }

  /// The failures of the first `count` calls that this stream reports.
  private func failures(
    _ count: Int,
    from received: inout ElementQueue<CableChannelEvent>
  ) async throws -> [Int: CableError] {
    var failures: [Int: CableError] = [:]
    while failures.count < count {
      guard case .performFailed(let perform, let error) = try await received.next() else {
        continue
      }
      failures[perform.data["id"]?.integer ?? -1] = error
    }
    return failures
  }

  @Test
  func `A8: calls that Rails read are confirmed, calls in a stalled proxy are reported`()
    async throws
  {
    let address = try #require(Rails.address)
    let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    let proxy = try StallingProxy(to: port)
    defer { proxy.close() }
    let (client, channel, time) = noted(user: "a8", proxy)
    var (received, messages) = (ElementQueue(channel.events), ElementQueue(channel.messages))
    client.connect()
    _ = try await received.next(where: isConfirmed)
    for id in 0..<200 { try channel.perform("note", ["id": .integer(id)]) }
    for _ in 0..<200 { _ = try await messages.next() }
    var count = 200
    while client.unconfirmedCallCount > 1 {
      time.advance(by: .seconds(2))
      try channel.perform("note", ["id": .integer(count)])
      _ = try await messages.next()
      count += 1
    }
    proxy.forward(.nothing)
    let padding = JSONValue.string(String(repeating: "x", count: 6_000))
    for id in count..<count + 1_000 {
      try channel.perform("note", ["id": .integer(id), "padding": padding])
    }
    let unconfirmed = client.unconfirmedCallCount
    proxy.cut()
    let reported = try await failures(unconfirmed, from: &received)
    let executed = try await notes(of: "a8")
    #expect(executed.union(reported.keys) == Set(0..<count + 1_000))
    #expect(reported.keys.allSatisfy { $0 >= count - 1 })
    #expect(reported.filter { $0.value == .neverWritten && executed.contains($0.key) } == [:])
    #expect(Set(reported.values) == [.neverWritten, .mayBeLost])
  }

  @Test func `A8: calls that wait for a Rails worker when the connection is cut are reported`()
    async throws
  {
    let address = try #require(Rails.address)
    let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    let proxy = try StallingProxy(to: port)
    defer { proxy.close() }
    let (client, channel, _) = noted(user: "a8slow", proxy)
    var (received, messages) = (ElementQueue(channel.events), ElementQueue(channel.messages))
    client.connect()
    _ = try await received.next(where: isConfirmed)
    for id in 0..<100 { try channel.perform("note", ["id": .integer(id), "seconds": 0.05]) }
    // Of four concurrent workers.
    for _ in 0..<8 { _ = try await messages.next() }
    proxy.cut()
    let reported = try await failures(100, from: &received)
    let executed = try await notes(of: "a8slow")
    #expect(executed.count < 100, "Rails drops calls of a connection that has ended")
    #expect(reported.count == 100 && Set(reported.values) == [.mayBeLost])
  }
  #endif

  @Test func `C31: wss connects to a server that it can verify, and to no other`() async throws {
    let url = "wss://\(Rails.secure)/cable?token=user-ann"
    var configuration = CableConfiguration()
    let authority = try String(contentsOfFile: Rails.authority, encoding: .utf8)
    configuration.socket.tls.authorities = .only(PEM(authority))
    let client = CableClient(url, configuration: configuration)
    let echo = client.channel("EchoChannel", options: buffering)
    var received = ElementQueue(echo.messages)
    client.connect()
    try echo.perform("speak", ["text": "over TLS"])
    #expect(try await received.next() == ["text": "over TLS"])
    let stranger = CableClient(url)
    var events = ElementQueue(stranger.events)
    stranger.connect()
    guard case .attemptFailed(.socket(.transport(.tls)), _) = try await events.next() else {
      Issue.record("connected to a stranger")
      return
    }
  }
}
