import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct WebSocketSendPositionTests {
  private static let text = WebSocketMessage.text(String(repeating: "x", count: 1_000))
  /// With its header and its mask key.
  private static let frameLength = 1_008

  @Test func `a message that is framed at once ends at its last byte`() async throws {
    let pair = try await MemoryPeer()
    let start = pair.socket.writtenCount
    for number in 1...3 {
      #expect(try pair.socket.sendCounted(Self.text) == start + number * Self.frameLength)
    }
    await pair.peer.log.wait { $0.received.count == 3 * Self.frameLength }
    #expect(pair.socket.writtenCount == start + 3 * Self.frameLength)
  }

  @Test
  func `a peer that reads nothing leaves the messages unwritten that its system cannot buffer`()
    async throws
  {
    let pair = try await MemoryPeer(capacity: 65_536)
    let start = pair.socket.writtenCount
    pair.peer.transport.setReading(false)
    let ends = try (0..<100).map { _ in try pair.socket.sendCounted(Self.text) }
    await EventLoop.shared.settle()
    #expect(pair.socket.writtenCount == start + 65_536)
    #expect(ends.filter { $0 <= pair.socket.writtenCount }.count == 65_536 / Self.frameLength)
    pair.peer.transport.setReading(true)
    await pair.peer.log.wait { $0.received.count == 100 * Self.frameLength }
    #expect(pair.socket.writtenCount == ends.last)
  }

  @Test func `a message that waits behind a long one ends no earlier than the message before it`()
    async throws
  {
    let pair = try await MemoryPeer(capacity: 65_536)
    let start = pair.socket.writtenCount
    pair.peer.transport.setReading(false)
    // The first message fills the buffers; the second is fragmented, and the others wait behind it.
    let long = WebSocketMessage.text(String(repeating: "y", count: 600_000))
    var ends = try [Self.text, long, long].map { try pair.socket.sendCounted($0) }
    ends += try (0..<20).map { _ in try pair.socket.sendCounted(Self.text) }
    await EventLoop.shared.settle()
    #expect(ends == ends.sorted())
    #expect(ends.filter { $0 <= pair.socket.writtenCount } == [start + Self.frameLength])
    pair.peer.transport.setReading(true)
    await pair.peer.log.wait { $0.received.count > 1_220_000 }
    await EventLoop.shared.settle()
    let written = pair.socket.writtenCount
    #expect(ends.allSatisfy { $0 <= written } && written - (ends.last ?? 0) < 1_000)
  }

  @Test func `a message that is compressed late ends behind the written bytes`()
    async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.compression = .deflate()
    let server = try WebSocketServer(configuration: configuration)
    let (socket, recorder) = WebSocket.recorded(to: server.url, configuration)
    let received = Watched(0)
    let bag = DisposeBag()
    server.connections
      .subscribe(onNext: { peer in
        peer.messages.subscribe(onNext: { _ in received.update { $0 += 1 } }).disposed(by: bag)
      })
      .disposed(by: bag)
    socket.connect()
    await recorder.waitUntilConnected()
    #expect(socket.extensions.contains("permessage-deflate"))
    var random = SeededGenerator(seed: 1)
    let noise = Data((0..<500_000).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    var ends: [Int] = []
    for number in 0..<40 {
      let message = number % 4 == 0 ? WebSocketMessage.binary(noise) : Self.text
      ends.append(try socket.sendCounted(message))
    }
    await received.wait { $0 == 40 }
    #expect(ends == ends.sorted())
    #expect(ends.allSatisfy { $0 <= socket.writtenCount })
  }

  @Test func `a ping behind messages is refused while some messages are not framed`()
    async throws
  {
    let pair = try await MemoryPeer(capacity: 65_536)
    let payloads = Watched<[String]>([])
    pair.socket.observePongs { payload in
      payloads.update { $0.append(String(decoding: payload, as: UTF8.self)) }
    }
    _ = try pair.socket.sendCounted(.text("call"))
    #expect(try pair.socket.pingBehindMessages(Data("17".utf8)))
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
    #expect(pair.peer.frames.map(\.first) == [0x81, 0x89])
    #expect(pair.peer.frames.last?.payload == Array("17".utf8))
    pair.peer.send(Wire.frame(0x8A, Array("17".utf8), masked: false))
    await payloads.wait { $0 == ["17"] }

    pair.peer.transport.setReading(false)
    let long = WebSocketMessage.text(String(repeating: "y", count: 600_000))
    for _ in 0..<2 { _ = try pair.socket.sendCounted(long) }
    #expect(try !pair.socket.pingBehindMessages(Data("18".utf8)))
    pair.peer.transport.setReading(true)
    await pair.peer.log.wait { $0.received.count > 1_200_000 }
    await EventLoop.shared.settle()
    #expect(try pair.socket.pingBehindMessages(Data("19".utf8)))
  }

  @Test func `a closed socket accepts no message, and counts its written ones`() async throws {
    let pair = try await MemoryPeer()
    let end = try pair.socket.sendCounted(.text("call"))
    pair.socket.close()
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try pair.socket.sendCounted(Self.text)
    }
    #expect(throws: WebSocketError.notConnected(.disconnecting)) {
      try pair.socket.pingBehindMessages(Data())
    }
    await pair.answerClose()
    try await pair.socket.closed()
    #expect(pair.socket.writtenCount > end)
  }
}
