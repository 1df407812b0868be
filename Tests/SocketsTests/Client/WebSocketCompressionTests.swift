import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite(
  "A compressed WebSocket",
  .enabled(if: MessageDeflate.isAvailable, "There is no zlib."),
  .workerPool
)
struct WebSocketCompressionTests {
  private func configuration(
    _ compression: WebSocketCompression?,
    messageLimit: Int = 16 << 20
  ) -> WebSocketConfiguration {
    var configuration = WebSocketConfiguration()
    configuration.compression = compression
    configuration.messageLimit = messageLimit
    return configuration
  }

  @Test func `before the first observer, the inflated size of a message counts`() async throws {
    let (near, far) = MemoryTransport.pair(maximumDelivery: 1_000)
    let compressing = configuration(.deflate()).onStoppedClock
    let client = WebSocket.client(over: near, configuration: compressing)
    let server = WebSocket.server(over: far, configuration: compressing)
    for socket in [client, server] { socket.connect() }
    try await client.connected()
    try await server.connected()
    for _ in 0..<16 { try server.send(Data(count: 1 << 20)) }
    await EventLoop.shared.settle(turns: 100)
    #expect(client.metrics.messagesReceived <= 2)
    let values = client.values
    var count = 0
    for try await message in values {
      #expect(message.data.count == 1 << 20)
      count += 1
      if count == 16 { break }
    }
    client.close()
    try await client.closed()
  }

  @Test func `a WebSocket reports the accepted compression, and compresses messages`() async throws
  {
    let echo = try EchoServer(configuration(.deflate(windowBits: 10)))
    let (socket, recorder) = WebSocket.recorded(to: echo.url, configuration(.deflate()))
    #expect(socket.extensions == "")
    socket.connect()
    await recorder.waitUntilConnected()
    let agreed = "permessage-deflate; server_max_window_bits=10; client_max_window_bits=10"
    #expect(socket.extensions == agreed)
    await echo.sockets.wait { $0.count == 1 }
    #expect(echo.sockets.value.first?.extensions == agreed)

    let text = String(repeating: "hello ", count: 10_000)
    for _ in 0..<2 { try socket.send(text) }
    try socket.send("short")
    await recorder.log.wait { $0.messages.count == 3 }
    #expect(recorder.value.texts == [text, text, "short"])
    #expect(recorder.value.frames.map(\.isCompressed) == [true, true, false])
    #expect(recorder.value.frames.allSatisfy { $0.payload.count < 1000 })
    socket.close()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
  }

  @Test func `messages are not compressed when one side does not support it`() async throws {
    for (offered, accepted) in [(nil, .deflate()), (.deflate(), nil)]
      as [(WebSocketCompression?, WebSocketCompression?)]
    {
      let echo = try EchoServer(configuration(accepted))
      let (socket, recorder) = WebSocket.recorded(to: echo.url, configuration(offered))
      socket.connect()
      await recorder.waitUntilConnected()
      #expect(socket.extensions == "")
      try socket.send(String(repeating: "hello ", count: 1000))
      await recorder.log.wait { $0.frames.count == 1 }
      #expect(recorder.value.frames.map(\.isCompressed) == [false])
      socket.close()
      await recorder.waitUntilOver()
    }
  }

  @Test func `an invalid answer to the compression offer is an error`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url, configuration(.deflate()))
    socket.connect()
    let header = "permessage-deflate; unknown"
    _ = try await raw.upgradedPeer(headers: "Sec-WebSocket-Extensions: \(header)\r\n")
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .handshake(.invalidExtensions(header)))
  }

  @Test func `a decompression bomb ends the connection with 1009`() async throws {
    let echo = try EchoServer(configuration(.deflate(), messageLimit: 1 << 20))
    let (socket, recorder) = WebSocket.recorded(to: echo.url, configuration(.deflate()))
    socket.connect()
    await recorder.waitUntilConnected()
    try socket.send(Data(count: 64 << 20))
    await recorder.waitUntilOver()
    #expect(recorder.value.closeCode == .messageTooBig)
    #expect(recorder.value.messages == [])
  }
}
