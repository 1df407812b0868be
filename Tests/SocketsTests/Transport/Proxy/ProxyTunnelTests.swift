import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("A tunnel through a proxy", .workerPool)
struct ProxyTunnelTests {
  /// A tunnel that has sent its request, and its proxy.
  private func requestedTunnel(
    _ loop: EventLoop,
    over pair: (near: MemoryTransport, far: MemoryTransport)? = nil,
    host: String = "server.test",
    authorization: String? = nil
  ) async throws -> (client: TransportRecorder, proxy: TransportRecorder) {
    let (near, far) = pair ?? MemoryTransport.pair(loop: loop)
    var server = try Proxy("proxy.test:3128")
    server.authorization = authorization
    let tunnel = ProxyTunnel(over: near, through: server, to: host, port: 443)
    let (client, proxy) = (TransportRecorder(tunnel), TransportRecorder(far))
    proxy.transport.start(proxy)
    client.transport.start(client)
    await proxy.log.wait { String(decoding: $0.received, as: UTF8.self).hasSuffix("\r\n\r\n") }
    return (client, proxy)
  }

  @Test func `a tunnel requests the server by name`() async throws {
    try await withLoop { loop in
      let plain = try await requestedTunnel(loop)
      #expect(
        plain.proxy.text == "CONNECT server.test:443 HTTP/1.1\r\nHost: server.test:443\r\n\r\n"
      )
      let (_, proxy) = try await requestedTunnel(
        loop, host: "::1", authorization: "Basic bWU6c2VjcmV0")
      #expect(
        proxy.text == "CONNECT [::1]:443 HTTP/1.1\r\nHost: [::1]:443\r\n"
          + "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n"
      )
    }
  }

  @Test func `a tunnel opens on a successful response, and carries all later bytes`() async throws {
    try await withLoop { loop in
      let (client, proxy) = try await requestedTunnel(loop)
      #expect(pattern(1).withUnsafeBytes { client.transport.write($0) } == 0)
      proxy.log.update { $0.received = [] }
      proxy.send(Array("HTTP/1.1 200 Connection established\r\nVia: a\r\n".utf8))
      await loop.settle()
      #expect(client.log.value.opened == 0)
      // The server's first bytes follow the proxy's response.
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

  @Test func `9110 15.2: interim responses of a proxy are skipped`() async throws {
    let wait = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    try await withLoop { loop in
      let (client, proxy) = try await requestedTunnel(loop)
      proxy.send(Array(wait.utf8))
      await loop.settle()
      #expect(client.log.value.opened == 0 && !client.log.value.isClosed)
      proxy.send(Array((wait + "HTTP/1.1 200 OK\r\n\r\nhello").utf8))
      await client.log.wait { $0.received == Array("hello".utf8) || $0.isClosed }
      #expect(client.log.value.opened == 1)
    }
    try await withLoop { loop in
      let (client, proxy) = try await requestedTunnel(loop)
      proxy.send(Array((wait + "HTTP/1.1 403 No\r\n\r\n").utf8))
      await client.log.wait { $0.isClosed }
      #expect(
        client.log.value.closed
          == [.proxy(.refused(proxy: "proxy.test:3128", status: 403, reason: "No"))])
    }
  }

  @Test func `endless interim responses of a proxy are an error`() async throws {
    try await withLoop { loop in
      let (client, proxy) = try await requestedTunnel(loop)
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
  func `a refusal by a proxy is an error`(answer: String, error: ProxyError) async throws {
    try await withLoop { loop in
      let (client, proxy) = try await requestedTunnel(loop)
      proxy.send(Array(answer.utf8))
      proxy.transport.closeWriting()
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.proxy(error)])
      #expect(client.log.value.opened == 0 && client.log.value.received.isEmpty)
    }
  }

  @Test
  func `a connection that breaks before the proxy's response is an error with the proxy's name`()
    async throws
  {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let (client, _) = try await requestedTunnel(loop, over: (near, far))
      near.fail(.reset)
      await client.log.wait { $0.isClosed }
      #expect(
        client.log.value.closed == [.proxy(.unreachable(proxy: "proxy.test:3128", .reset))])
    }
  }

  @Test func `a connection that breaks after the proxy's response is an error as without a proxy`()
    async throws
  {
    try await withLoop { loop in
      let (near, far) = MemoryTransport.pair(loop: loop)
      let (client, proxy) = try await requestedTunnel(loop, over: (near, far))
      proxy.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
      await client.log.wait { $0.opened == 1 }
      near.fail(.reset)
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [.reset])
    }
  }

  @Test func `reading that is paused before the tunnel opens stays paused`() async throws {
    try await withLoop { loop in
      let (client, proxy) = try await requestedTunnel(loop)
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

  @Test func `closing before the proxy's response ends the tunnel without an error`() async throws {
    try await withLoop { loop in
      let (client, proxy) = try await requestedTunnel(loop)
      client.transport.close()
      await client.log.wait { $0.isClosed }
      #expect(client.log.value.closed == [nil])
      await proxy.log.wait { $0.ended == 1 }
    }
  }
}
