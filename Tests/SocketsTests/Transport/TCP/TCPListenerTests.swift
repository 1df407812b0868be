import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct TCPListenerTests {
  @Test func `port 0 becomes a free port, and peers can connect before start`() async throws {
    try await withLoop { loop in
      let listener = try TCPListener(loop: loop)
      #expect(listener.port != 0)
      let client = TransportRecorder(
        TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop))
      await client.start()
      client.send([1, 2])
      listener.startTransports { $0.start(EchoHandler($0)) }
      await client.log.wait { $0.received == [1, 2] }
      listener.close()
    }
  }

  @Test func `a listener without a host accepts IPv4 and IPv6`() async throws {
    try await withLoop { loop in
      let listener = try TCPListener(host: "", loop: loop)
      let peers = Watched<[String]>([])
      listener.start { socket in
        let peer = socket.remoteAddress?.networkAddress
        peers.update { $0.append(peer.map { $0.isIPv4 ? "4" : "6" } ?? "?") }
        socket.close()
      }
      // Not every machine has IPv6 addresses.
      let hasIPv6 = (try? TCPListener(host: "::1", loop: loop).close()) != nil
      let hosts = hasIPv6 ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
      for host in hosts {
        let client = TransportRecorder(TCPTransport(host: host, port: listener.port, loop: loop))
        await client.start()
        await client.log.wait { $0.ended == 1 }
        client.transport.close()
      }
      #expect(peers.value == (hasIPv6 ? ["4", "6"] : ["4"]))
      listener.close()
    }
  }

  @Test func `a port in use is an error with its address`() async throws {
    try await withLoop { loop in
      let listener = try TCPListener(loop: loop)
      #expect(throws: TransportError.addressInUse(address: "127.0.0.1:\(listener.port)")) {
        try TCPListener(port: listener.port, loop: loop)
      }
    }
  }

  @Test func `a listener accepts all of many simultaneous connections`() async throws {
    try await withLoop { loop in
      let accepted = Watched(0)
      let listener = try TCPListener(loop: loop)
      let crowd = (0..<200).map { _ in RawSocket.connected(to: listener.port) }
      listener.startTransports { _ in accepted.update { $0 += 1 } }
      await accepted.wait { $0 == 200 }
      for one in crowd { one.close() }
    }
  }

  @Test func `a closed listener refuses connections, also when its callback closed it`()
    async throws
  {
    try await withLoop { loop in
      let listener = try TCPListener(loop: loop)
      let accepted = Watched(0)
      listener.startTransports { [weak listener] _ in
        accepted.update { $0 += 1 }
        listener?.close()
      }
      let client = RawSocket.connected(to: listener.port)
      await accepted.wait { $0 == 1 }
      await loop.settle()
      let late = TransportRecorder(TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop))
      await late.start()
      #expect(late.log.value.closed == [.refused(address: "127.0.0.1:\(listener.port)")])
      client.close()
    }
  }
}
