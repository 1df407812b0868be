import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import Sockets

@Suite("A server with a handler of plain requests", .workerPool)
struct HTTPServingTests {
  private func sockets(
    _ time: VirtualTime? = nil,
    log: WebSocketLog = .none,
    respond: RequestHandler.Respond? = nil,
    decide: WebSocketAdmission.Decide? = nil
  ) -> ConnectionRegistry {
    var admission = WebSocketAdmission()
    admission.decide = decide
    admission.bodyLimit = 1_000_000
    var configuration = WebSocketConfiguration().onStoppedClock
    if let time { configuration.scheduler = time.scheduler }
    configuration.log = log
    return ConnectionRegistry(configuration, admission, respond: respond)
  }

  private func come(
    to sockets: ConnectionRegistry, _ loop: EventLoop, capacity: Int = 1 << 20
  ) async -> TransportRecorder {
    let (near, far) = MemoryTransport.pair(loop: loop, capacity: capacity)
    let peer = TransportRecorder(far)
    await peer.start()
    sockets.accept(near)
    return peer
  }

  private func send(_ text: String, to peer: TransportRecorder) { peer.send(Array(text.utf8)) }

  private let get = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"

  /// The answers without their dates.
  private func text(_ peer: TransportRecorder) -> String {
    peer.text.replacing(/Date: [^\r]*\r\n/, with: "")
  }

  @Test func `a server answers requests one after the other, and a WebSocket request at the end`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets { request in
        .text("\(request.method) \(request.path) \(request.body.count)")
      }
      let peer = await come(to: sockets, loop)
      let post = "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc"
      send(get + post + RawClient.request, to: peer)
      peer.send(Wire.frame(0x89, "x", masked: true))
      await peer.log.wait { $0.received.ends(with: Wire.frame(0x8A, "x", masked: false)) }
      let type = "Content-Type: text/plain; charset=utf-8\r\n"
      #expect(
        text(peer).hasPrefix(
          "HTTP/1.1 200 OK\r\n\(type)Content-Length: 13\r\n\r\nGET /health 0"
            + "HTTP/1.1 200 OK\r\n\(type)Content-Length: 9\r\n\r\nPOST /a 3"
            + "HTTP/1.1 101 Switching Protocols\r\n"))
      #expect(sockets.all.count == 1)
    }
  }

  @Test func `a response to HEAD has a length and no body, and HTTP 1.0 has one request`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets { _ in HTTPResponse(body: Data("hello".utf8)) }
      let peer = await come(to: sockets, loop)
      send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.0\r\n\r\n\(get)", to: peer)
      await peer.log.wait { $0.ended == 1 }
      #expect(
        text(peer)
          == "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
          + "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
    }
  }

  @Test(arguments: [
    ("Content-Length: 1000001\r\n\r\n", 413), ("Transfer-Encoding: gzip\r\n\r\n", 501),
    ("Host: b\r\n\r\n", 400), ("x\r\n\r\n", 400), (String(repeating: "a:\r\n", count: 101), 431),
    ("Transfer-Encoding: chunked\r\n\r\nx\r\n", 400),
  ])
  func `9110 9.3.2: a rejection of HEAD has the length of its body, and no body`(
    rest: String, status: Int
  ) async throws {
    try await withLoop { loop in
      let sockets = sockets { _ in .text("ok") }
      var refusals: [String] = []
      for method in ["GET", "HEAD"] {
        let peer = await come(to: sockets, loop)
        send("\(method) / HTTP/1.1\r\nHost: a\r\n\(rest)", to: peer)
        await peer.log.wait { $0.ended == 1 }
        refusals.append(peer.text)
      }
      let parts = refusals[0].split(separator: "\r\n\r\n")
      try #require(parts.count == 2 && parts[0].hasPrefix("HTTP/1.1 \(status) "))
      #expect(refusals[0].contains("\r\nContent-Length: \(parts[1].utf8.count)\r\n"))
      #expect(refusals[1] == parts[0] + "\r\n\r\n")
    }
  }

  @Test func `a HEAD that follows another request is rejected without a body`() async throws {
    try await withLoop { loop in
      let sockets = sockets { _ in .text("ok") }
      for (first, second) in [("GET", "HEAD"), ("HEAD", "GET")] {
        let peer = await come(to: sockets, loop)
        send("\(first) / HTTP/1.1\r\nHost: a\r\n\r\n", to: peer)
        send("\(second) / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", to: peer)
        await peer.log.wait { $0.ended == 1 }
        #expect(peer.text.contains("HTTP/1.1 400 "))
        #expect(peer.text.hasSuffix("\r\n\r\n") == (second == "HEAD"))
      }
    }
  }

  @Test func `the server sets the headers of the transfer`() async throws {
    try await withLoop { loop in
      let sockets = sockets { request in
        let headers: HTTPHeaders = [
          "content-length": "7", "Transfer-Encoding": "chunked", "Connection": "close",
          "Date": "today",
        ]
        return HTTPResponse(status: request.query == nil ? 200 : 204, headers: headers)
      }
      let peer = await come(to: sockets, loop)
      send(get, to: peer)
      await peer.log.wait { $0.ended == 1 }
      #expect(
        peer.text
          == "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      let other = await come(to: sockets, loop)
      send("GET /?a HTTP/1.1\r\nHost: a\r\n\r\n", to: other)
      await other.log.wait { $0.ended == 1 }
      #expect(
        other.text == "HTTP/1.1 204 No Content\r\nDate: today\r\nConnection: close\r\n\r\n")
    }
  }

  @Test(arguments: ["throws", "status", "header"])
  func `a handler that throws is answered with 500, and logged`(fault: String) async throws {
    try await withLoop { loop in
      let lines = Watched<[String]>([])
      let log = WebSocketLog(.error) { level, line in lines.update { $0.append("\(level) \(line)") }
      }
      let sockets = sockets(log: log) { _ in
        switch fault {
        case "throws": throw RxError.noElements
        case "status": HTTPResponse(status: 101)
        default: HTTPResponse(headers: ["X": "a\r\nb: c"])
        }
      }
      let peer = await come(to: sockets, loop)
      send(get, to: peer)
      await peer.log.wait {
        String(decoding: $0.received, as: UTF8.self).hasSuffix("internal server error\n")
      }
      #expect(peer.text.hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
      #expect(
        lines.value.count == 1 && lines.value[0].hasPrefix("error connection 1: onRequest "))
    }
  }

  @Test func `a pipelined request is not read before the response to the previous one`()
    async throws
  {
    try await withLoop { loop in
      let gate = AsyncStream.makeStream(of: Void.self)
      let asked = Watched(0)
      let sockets = sockets { request in
        asked.update { $0 += 1 }
        if request.path == "/health" { for await _ in gate.stream { break } }
        return .text(request.path)
      }
      let peer = await come(to: sockets, loop, capacity: 4_096)
      send(get, to: peer)
      await asked.wait { $0 == 1 }
      let more = "GET /b HTTP/1.1\r\nHost: a\r\n\r\n"
      send(String(repeating: more, count: 2_000), to: peer)
      await loop.settle(turns: 40)
      #expect(asked.value == 1 && peer.log.value.received.isEmpty)
      gate.continuation.yield()
      await asked.wait { $0 == 2_001 }
      gate.continuation.finish()
    }
  }

  @Test func `a large response is written at the pace of the client, then the connection ends`()
    async throws
  {
    try await withLoop { loop in
      let body = Data(repeating: 0x61, count: 3 << 20)
      let sockets = sockets { _ in HTTPResponse(headers: ["Connection": "close"], body: body) }
      let peer = await come(to: sockets, loop, capacity: 16_384)
      send(get, to: peer)
      await peer.log.wait { $0.ended == 1 }
      #expect(peer.log.value.received.ends(with: body))
      peer.transport.close()
      await peer.log.wait { $0.isClosed }
      await loop.settle()
      #expect(sockets.all.isEmpty)
    }
  }

  @Test
  func `each request has the handshake timeout, and an idle client is dropped without a log line`()
    async throws
  {
    try await withLoop { loop in
      let lines = Watched<[String]>([])
      let time = VirtualTime()
      let sockets = sockets(
        time, log: WebSocketLog(.info) { _, line in lines.update { $0.append(line) } }
      ) {
        _ in .text("ok")
      }
      let peer = await come(to: sockets, loop)
      await loop.settle()
      for _ in 0..<3 {
        time.advance(by: .seconds(9))
        peer.log.update { $0.received = [] }
        send(get, to: peer)
        await peer.log.wait { $0.received.ends(with: Array("ok".utf8)) }
        await loop.settle()
      }
      time.advance(by: .seconds(10))
      await peer.log.wait { $0.ended == 1 }
      #expect(lines.value == [])
      #expect(sockets.all.isEmpty)
      // Half a request is answered.
      let half = await come(to: sockets, loop)
      await loop.settle()
      send(String(get.dropLast()), to: half)
      await loop.settle()
      time.advance(by: .seconds(10))
      await half.log.wait { $0.ended == 1 }
      #expect(lines.value == ["connection 2: no WebSocket within 10.0 seconds"])
    }
  }

  @Test func `a handler that takes too long is cancelled, and so is one whose client disconnects`()
    async throws
  {
    try await withLoop { loop in
      let time = VirtualTime()
      let log = Watched<[String]>([])
      let wait: @Sendable () async -> Void = {
        log.update { $0.append("asked") }
        await withTaskCancellationHandler {
          try? await Task.sleep(for: .seconds(86_400))
        } onCancel: {
          log.update { $0.append("cancelled") }
        }
      }
      let sockets = sockets(time) { _ in
        await wait()
        return .text("late")
      } decide: { _ in
        await wait()
        return .accept()
      }
      for request in [get, RawClient.request] {
        let peer = await come(to: sockets, loop)
        send(request, to: peer)
        await log.wait { $0 == ["asked"] }
        await loop.settle()
        time.advance(by: .seconds(10))
        await peer.log.wait { $0.ended == 1 }
        await log.wait { $0 == ["asked", "cancelled"] }
        #expect(peer.text.hasPrefix("HTTP/1.1 503 Service Unavailable\r\n"))
        peer.transport.close()
        log.update { $0 = [] }
      }
      let peer = await come(to: sockets, loop)
      send(get, to: peer)
      await log.wait { $0 == ["asked"] }
      sockets.all.first?.close()
      await log.wait { $0 == ["asked", "cancelled"] }
    }
  }

  @Test func `a running decision is cancelled when its connection breaks`()
    async throws
  {
    let log = Watched<[String]>([])
    var admission = WebSocketAdmission()
    admission.decide = { _ in
      log.update { $0.append("asked") }
      try await withTaskCancellationHandler {
        try await Task.sleep(for: .seconds(86_400))
      } onCancel: {
        log.update { $0.append("cancelled") }
      }
      return .accept()
    }
    let server = try WebSocketServer(configuration: .init().onStoppedClock, admission: admission)
    let peer = RawSocket.connected(to: server.port)
    peer.send(Array((RawClient.request + "what follows").utf8))
    await log.wait { $0 == ["asked"] }
    peer.reset()
    await log.wait { $0 == ["asked", "cancelled"] }
  }

  @Test func `bytes that arrive during a decision are kept for the connection`()
    async throws
  {
    try await withLoop { loop in
      let gate = AsyncStream.makeStream(of: WebSocketDecision.self)
      let sockets = sockets(decide: { _ in
        for await decision in gate.stream { return decision }
        throw RxError.noElements
      })
      let first = await come(to: sockets, loop)
      send(RawClient.request, to: first)
      first.send(Wire.frame(0x89, "x", masked: true))
      await loop.settle(turns: 20)
      #expect(first.log.value.received.isEmpty)
      gate.continuation.yield(.accept(headers: ["X": "1"]))
      await first.log.wait { $0.received.ends(with: Wire.frame(0x8A, "x", masked: false)) }
      #expect(first.text.contains("\r\nX: 1\r\n"))
      let second = await come(to: sockets, loop)
      send(RawClient.request, to: second)
      gate.continuation.yield(.refuse(status: 401))
      await second.log.wait { $0.ended == 1 }
      #expect(second.text.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
      gate.continuation.finish()
      let third = await come(to: sockets, loop)
      send(RawClient.request, to: third)
      await third.log.wait { $0.ended == 1 }
      #expect(third.text.hasPrefix("HTTP/1.1 500 "))
    }
  }

  @Test func `request bodies count towards the memory of a server`() async throws {
    try await withLoop { loop in
      var admission = WebSocketAdmission()
      admission.memoryLimit = 600_000
      let sockets = ConnectionRegistry(.init().onStoppedClock, admission) { _ in .text("ok") }
      let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
      var peers: [TransportRecorder] = []
      for (count, held) in [(200_000, 180_000), (300_000, 460_000), (250_000, 0)] {
        let peer = await come(to: sockets, loop)
        peer.send(Array(head.utf8) + [UInt8](repeating: 1, count: count))
        // Each connection can hold 16 KiB more than it has reported.
        while sockets.budget.heldBytes < held { await loop.settle() }
        peers.append(peer)
      }
      await peers[1].log.wait { $0.ended == 1 }
      #expect(peers[1].text.hasPrefix("HTTP/1.1 503 "))
      #expect(peers[0].text.isEmpty && peers[2].text.isEmpty)
      #expect(sockets.budget.heldBytes < 600_000)
    }
  }

  @Test func `request bodies count until they are answered`() async throws {
    try await withLoop { loop in
      let mayAnswer = Watched(false)
      var admission = WebSocketAdmission()
      admission.memoryLimit = 600_000
      let sockets = ConnectionRegistry(.init().onStoppedClock, admission) { request in
        await mayAnswer.wait { $0 }
        return .text("\(request.body.count)")
      }
      var peers: [TransportRecorder] = []
      for count in [200_000, 300_000, 250_000] {
        let peer = await come(to: sockets, loop)
        let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n"
        peer.send(Array(head.utf8) + [UInt8](repeating: 1, count: count))
        for _ in 0..<100 { await loop.settle() }
        peers.append(peer)
      }
      await peers[1].log.wait { $0.ended == 1 }
      #expect(peers[1].text.hasPrefix("HTTP/1.1 503 "))
      #expect((440_000..<600_000).contains(sockets.budget.heldBytes))
      peers[1].transport.close()
      mayAnswer.update { $0 = true }
      for peer in [peers[0], peers[2]] {
        await peer.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("0000") }
        peer.transport.close()
      }
      await sockets.ended()
      #expect(sockets.budget.heldBytes == 0)
    }
  }

  @Test func `a client that resets its connection does not wait for its response`() async throws {
    let server = try WebSocketServer(configuration: .init().onStoppedClock) { _ in
      HTTPResponse(body: Data(count: 16 << 20))
    }
    let client = RawSocket.connected(to: server.port)
    client.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    // More bytes than the system buffers are queued.
    while server.totals.queuedBytes < 1 << 20 { await Task.yield() }
    client.reset()
    while server.totals.handshaking > 0 { await Task.yield() }
    #expect(server.totals.queuedBytes == 0)
  }

  @Test func `a server that closes answers the current request, and no later one`() async throws {
    try await withLoop { loop in
      let (asked, mayAnswer) = (Watched(0), Watched(false))
      let sockets = sockets { _ in
        asked.update { $0 += 1 }
        await mayAnswer.wait { $0 }
        return .text("ok\n")
      }
      let answered = await come(to: sockets, loop)
      send(get + get, to: answered)
      let idle = await come(to: sockets, loop)
      await asked.wait { $0 == 1 }
      sockets.close()
      await idle.log.wait { $0.ended == 1 }
      idle.transport.close()
      await loop.settle()
      #expect(idle.text.isEmpty && sockets.all.count == 1)
      mayAnswer.update { $0 = true }
      await answered.log.wait { $0.ended == 1 }
      #expect(
        text(answered) == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
          + "Content-Length: 3\r\n\r\nok\n")
      answered.transport.close()
      await sockets.ended()
      #expect(asked.value == 1)
    }
  }

  @Test func `a response in flight is written before a closing server drops its client`()
    async throws
  {
    try await withLoop { loop in
      let sockets = sockets { _ in HTTPResponse(body: Data(pattern(1 << 20))) }
      let peer = await come(to: sockets, loop, capacity: 4_096)
      send(get, to: peer)
      await peer.log.wait { $0.received.count > 10_000 }
      sockets.close()
      await peer.log.wait { $0.ended == 1 }
      #expect(peer.log.value.received.count > 1 << 20)
      peer.transport.close()
      await sockets.ended()
    }
  }

  @Test func `a URLSession sends requests to a server that serves WebSockets on the same port`()
    async throws
  {
    let server = try WebSocketServer(configuration: .init().onStoppedClock) { request in
      request.path == "/health" ? .text("ok\n") : .text("not here\n", status: 404)
    }
    let (socket, recorder) = WebSocket.recorded(to: server.url)
    socket.connect()
    await recorder.waitUntilConnected()
    let url = "http://127.0.0.1:\(server.port)/"
    let session = URLSession(configuration: .ephemeral)
    for (path, status, body) in [("health", 200, "ok\n"), ("x", 404, "not here\n")] {
      let (data, response) = try await session.data(from: try #require(URL(string: url + path)))
      #expect((response as? HTTPURLResponse)?.statusCode == status)
      #expect(String(decoding: data, as: UTF8.self) == body)
    }
    session.invalidateAndCancel()
    socket.close()
    await recorder.waitUntilOver()
  }

  @Test func `the Date of a response has the format of RFC 9110`() {
    #expect(Date(timeIntervalSince1970: 784_111_777).httpDate == "Sun, 06 Nov 1994 08:49:37 GMT")
    #expect(Date(timeIntervalSince1970: 951_782_400.9).httpDate == "Tue, 29 Feb 2000 00:00:00 GMT")
  }

  @Test func `a server that closes during a response gives its client 5 seconds to end`()
    async throws
  {
    let time = VirtualTime()
    try await withLoop { loop in
      let answering = Locked<ConnectionRegistry?>(nil)
      // Between the answer and the wait for the next request.
      let log = WebSocketLog(.debug) { _, line in
        if line.contains("200: ") { answering.withLock { $0 }?.close() }
      }
      let sockets = sockets(time, log: log) { _ in .text("ok") }
      answering.withLock { $0 = sockets }
      let peer = await come(to: sockets, loop)
      send(get, to: peer)
      await peer.log.wait { $0.ended == 1 }
      await loop.settle()
      #expect(sockets.all.count == 1)
      time.advance(by: .seconds(5))
      await sockets.ended()
      answering.withLock { $0 = nil }
    }
  }
}
