import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("A tunnel through a proxy", .workerPool)
struct ProxyTunnelTests {
  /// A tunnel that has asked, and its proxy.
  private func asked(
    _ loop: EventLoop,
    over pair: (near: MemoryTransport, far: MemoryTransport)? = nil,
    host: String = "server.test",
    authorization: String? = nil
  ) async -> (client: Recorder, proxy: Recorder) {
    let (near, far) = pair ?? MemoryTransport.pair(loop: loop)
    let tunnel = ProxyTunnel(
      over: near,
      proxy: "proxy.test:3128",
      to: host,
      port: 443,
      authorization: authorization
    )
    let (client, proxy) = (Recorder(tunnel), Recorder(far))
    proxy.transport.start(proxy)
    client.transport.start(client)
    await proxy.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
    return (client, proxy)
  }

  @Test func `the proxy is asked for the server by name`() async throws {
    try await withLoop { loop in
      let plain = await asked(loop)
      #expect(
        plain.proxy.text == "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n\r\n"
      )
      let (_, proxy) = await asked(loop, host: "::1", authorization: "Basic bWU6c2VjcmV0")
      #expect(
        proxy.text == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n"
          + "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n"
      )
    }
  }

  @Test func `it opens when the proxy agrees, and carries everything from then on`() async throws {
    try await withLoop { loop in
      let (client, proxy) = await asked(loop)
      #expect(pattern(1).withUnsafeBytes { client.transport.write($0) } == 0)
      proxy.log.update { $0.received = [] }
      proxy.send(Array("HTTP/1.1 200 Connection established\r\nVia: a\r\n".utf8))
      await loop.settle()
      #expect(client.log.value.opened == 0)
      // What the server says first comes behind the answer.
      proxy.send(Array("\r\n".utf8) + [1, 2])
      await client.log.wait { $0.received == [1, 2] }
      #expect(client.log.value.opened == 1)
      client.send(pattern(200_000))
      await proxy.log.wait { $0.received.count == 200_000 }
      expectSame(proxy.log.value.received, pattern(200_000))
      client.transport.closeWriting()
      await proxy.log.wait { $0.ended == 1 }
      proxy.transport.closeWriting()
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [nil] && client.log.value.ended == 1)
    }
  }

  @Test func `9110 15.2: answers of a proxy that only say wait are passed over`() async throws {
    let wait = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    try await withLoop { loop in
      let (client, proxy) = await asked(loop)
      proxy.send(Array(wait.utf8))
      await loop.settle()
      #expect(client.log.value.opened == 0 && !client.log.value.isClosed)
      proxy.send(Array((wait + "HTTP/1.1 200 OK\r\n\r\nhello").utf8))
      await client.log.wait { $0.received == Array("hello".utf8) || $0.isClosed }
      #expect(client.log.value.opened == 1)
    }
    try await withLoop { loop in
      let (client, proxy) = await asked(loop)
      proxy.send(Array((wait + "HTTP/1.1 403 No\r\n\r\n").utf8))
      await client.log.wait { $0.isClosed }
      #expect(
        client.log.value.closed
          == [.proxy(.refused(proxy: "proxy.test:3128", status: 403, reason: "No"))])
    }
  }

  @Test func `a proxy that only says wait is none`() async throws {
    try await withLoop { loop in
      let (client, proxy) = await asked(loop)
      proxy.send(Array(String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17).utf8))
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.proxy(.notAProxy)])
    }
  }

  @Test(
    arguments: [
      (
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
        .refused(
          proxy: "proxy.test:3128", status: 407, reason: "Proxy Authentication Required")
      ), ("HTTP/1.0 502 \r\n\r\n", .refused(proxy: "proxy.test:3128", status: 502, reason: "")),
      ("SSH-2.0-OpenSSH_9.2\r\n", .notAProxy), ("HTTP/1.1 yes\r\n\r\n", .notAProxy),
      ("HTTP/1.1 200 OK\r\n", .connectionClosed), ("", .connectionClosed),
    ] as [(String, ProxyError)]
  )
  func `a proxy that does not agree is an error`(answer: String, error: ProxyError) async throws {
    try await withLoop { loop in
      let (client, proxy) = await asked(loop)
      proxy.send(Array(answer.utf8))
      proxy.transport.closeWriting()
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.proxy(error)])
      #expect(client.log.value.opened == 0 && client.log.value.received.isEmpty)
    }
  }

  @Test func `a connection to the proxy that breaks before its answer is an error with its name`()
    async throws
  {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let (client, _) = await asked(loop, over: (near, far))
      near.fail(.reset)
      await client.log.wait { $0.isClosed }
      #expect(
        client.log.value.closed == [.proxy(.unreachable(proxy: "proxy.test:3128", .reset))])
    }
  }

  @Test func `a connection that breaks behind the proxy's answer is an error as without a proxy`()
    async throws
  {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let (client, proxy) = await asked(loop, over: (near, far))
      proxy.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
      await client.log.wait { $0.opened == 1 }
      near.fail(.reset)
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.reset])
    }
  }

  @Test func `a pause that began before it opened holds`() async throws {
    try await withLoop { loop in
      let (client, proxy) = await asked(loop)
      client.transport.setReading(false)
      proxy.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
      await client.log.wait { $0.opened == 1 }
      proxy.send([1])
      await loop.settle()
      #expect(client.log.value.received.isEmpty)
      client.transport.setReading(true)
      await client.log.wait { $0.received == [1] }
    }
  }

  @Test func `closing while the proxy thinks ends it without an error`() async throws {
    try await withLoop { loop in
      let (client, proxy) = await asked(loop)
      client.transport.close()
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [nil])
      await proxy.log.wait { $0.ended == 1 }
    }
  }
}
