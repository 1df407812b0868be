#if os(Linux) && !SANITIZED
import CReactiveSystem
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Sockets

/// The memory of an idle WebSocket, measured in a process of its own.
@Suite("The memory of an idle WebSocket", .workerPool)
struct WebSocketMemoryTests {
  @Test func `an idle client connection uses less than 1.5 KiB of memory`() async throws {
    let child = try await #require(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let listener = RawSocket.bound()
      listener.listen(backlog: 16)
      let url = "ws://127.0.0.1:\(listener.port)/"
      var sockets: [WebSocket] = []
      var peers: [Int32] = []
      sockets.reserveCapacity(1_000)
      peers.reserveCapacity(1_000)
      try await WebSocketMemoryTests.measure {
        var configuration = WebSocketConfiguration()
        configuration.proxy = .direct
        let socket = WebSocket.connect(to: url, configuration: configuration)
        peers.append(try WebSocketMemoryTests.answer(listener))
        try await socket.connected()
        sockets.append(socket)
      }
      for peer in peers { close(peer) }
    }
    #expect(try bytes(child) < 1_536)
  }

  @Test func `a served and observed connection uses less than 1,792 bytes of memory`() async throws
  {
    let child = try await #require(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      let server = try WebSocketServer()
      let subscription = server.connections
        .subscribe(onNext: { socket in _ = socket.messages.subscribe(onNext: { _ in }) })
      var peers: [RawSocket] = []
      peers.reserveCapacity(1_000)
      try await WebSocketMemoryTests.measure {
        let peer = RawSocket.connected(to: server.port)
        peer.send(Array(RawClient.request.utf8))
        var room = [UInt8](repeating: 0, count: 1_024)
        try #require(recv(peer.descriptor, &room, room.count, 0) > 0)
        peers.append(peer)
      }
      subscription.dispose()
      for peer in peers { peer.close() }
    }
    #expect(try bytes(child) < 1_792)
  }

  @Test func `the next keepalive ping frees the memory of a burst`() async {
    await #expect(processExitsWith: .success) {
      let pair = try await MemoryPeer()
      func burst() async throws -> UInt {
        pair.peer.log.update { $0.received = [] }
        try pair.socket.send(Data(count: 60_000))
        await pair.peer.log.wait { $0.received.count > 60_000 }
        pair.peer.log.update { $0.received = [] }
        await EventLoop.shared.settle()
        return UInt(csystem_heap_in_use())
      }
      /// Sends the next ping and answers it.
      func ping() async -> UInt {
        await pair.advance(by: .seconds(20))
        await pair.peer.log.wait { !$0.received.isEmpty }
        pair.peer.send(Wire.frame(0x8A, [], masked: false))
        await EventLoop.shared.settle()
        return UInt(csystem_heap_in_use())
      }
      // Allocates the lazy globals.
      _ = try await burst()
      _ = await ping()
      let before = try await burst()
      let after = await ping()
      precondition(after + 50_000 < before, "\(before) bytes, and then \(after)")
    }
  }

  /// Prints the heap growth in bytes per connection of `connect`.
  private static func measure(_ connect: () async throws -> Void) async throws {
    func connectMany(_ count: Int) async throws {
      for _ in 0..<count { try await connect() }
      await EventLoop.shared.settle()
    }
    // Allocates the lazy globals.
    try await connectMany(100)
    // The minimum of three, because a shared table doubles its capacity now and then.
    var least = Int.max
    for _ in 0..<3 {
      let before = csystem_heap_in_use()
      try await connectMany(200)
      least = min(least, Int(csystem_heap_in_use() - before) / 200)
    }
    print("bytes:", least)
  }

  private func bytes(_ child: ExitTest.Result) throws -> Int {
    let output = String(decoding: child.standardOutputContent, as: UTF8.self)
    let bytes = try #require(output.firstMatch(of: /bytes: (\d+)/).flatMap { Int($0.1) })
    return bytes
  }

  /// Accepts the next connection and answers its handshake with system calls only.
  private static func answer(_ listener: RawSocket) throws -> Int32 {
    let peer = accept(listener.descriptor, nil, nil)
    var request: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4_096)
    while !request.suffix(4).elementsEqual(Array("\r\n\r\n".utf8)) {
      let count = recv(peer, &room, room.count, 0)
      guard count > 0 else { break }
      request += room.prefix(count)
    }
    let text = String(decoding: request, as: UTF8.self)
    let line = try #require(text.firstMatch(of: /Sec-WebSocket-Key: (\S+)\r\n/))
    let key = try #require(HandshakeKey(text: Array(line.1.utf8)[...]))
    RawSocket(descriptor: peer).send(
      Array(
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: \(String(decoding: key.accept, as: UTF8.self))\r\n\r\n").utf8
      )
    )
    return peer
  }
}
#endif
