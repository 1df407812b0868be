import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("A WebSocket over a transport", .workerPool)
struct WebSocketTransportTests {
  @Test func `the two ends of a pair are a client and a server`() async throws {
    let (near, far) = MemoryTransport.pair()
    var configuration = WebSocketConfiguration(subprotocols: ["chat"]).onStoppedClock
    let server = WebSocket.server(over: far, configuration: configuration)
    configuration.headers = ["X-Room": "7"]
    let client = WebSocket.client(
      over: near,
      url: "ws://example.com/rooms?a=%20b",
      configuration: configuration
    )
    let (there, here) = (SocketEventRecorder(server), SocketEventRecorder(client))
    for socket in [client, server] { socket.connect() }
    for recorder in [here, there] { await recorder.waitUntilConnected() }
    #expect(client.subprotocol == "chat")
    #expect(server.request?.path == "/rooms" && server.request?.query == "a=%20b")
    #expect(server.request?.headers["Host"] == "example.com")
    #expect(server.request?.headers["X-Room"] == "7")
    try client.send("to the server")
    try server.send("to the client")
    await there.log.wait { $0.texts == ["to the server"] }
    await here.log.wait { $0.texts == ["to the client"] }
    client.close(code: 4_000, reason: "done")
    for recorder in [here, there] { await recorder.waitUntilOver() }
    #expect(there.value.closeCode == 4_000)
  }

  @Test func `a malformed URL is reported, and the transport is never started`() async {
    let (near, _) = MemoryTransport.pair()
    let client = WebSocket.client(over: near, url: "http://example.com")
    let recorder = SocketEventRecorder(client)
    client.connect()
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .invalidURL("http://example.com", .unsupportedScheme("http")))
  }
}
