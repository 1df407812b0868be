import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

/// Each fault of a peer or network ends in a typed error, and no received message is lost.
@Suite("Failures of a WebSocket", .workerPool)
struct WebSocketFaultTests {
  private static let failedBeforeConnected: [WebSocketState] = [.idle, .connecting, .disconnected]

  // MARK: Connecting

  @Test(arguments: [
    ("localhost:80", WebSocketURLError.notAbsolute), ("", .notAbsolute),
    ("http://localhost", .unsupportedScheme("http")), ("ws://", .missingHost),
    ("ws://localhost:0/", .invalidPort("0")), ("ws://me@localhost/", .hasUserInfo),
    ("ws://localhost/#top", .hasFragment), ("ws://local host/", .invalidCharacter(" ")),
    ("http://localhost/?token=1", .unsupportedScheme("http")),
  ])
  func `a malformed URL is an error`(url: String, problem: WebSocketURLError) async {
    // The user and the query are redacted, because errors are logged.
    let redacted = url.replacing("me@", with: "...@").replacing("token=1", with: "...")
    await expectFailure(of: url, error: .invalidURL(redacted, problem))
  }

  @Test func `wss without TLS is an error that names TLS`() async {
    var configuration = WebSocketConfiguration()
    configuration.tlsProvider = NoTLS()
    await expectFailure(
      of: "wss://localhost/",
      configuration,
      error: .transport(.tls(.unavailable(reason: "none here")))
    )
  }

  private struct NoTLS: TLSProvider {
    func makeSession(
      _ role: TLSRole,
      _ configuration: TLSConfiguration
    ) throws(TLSError) -> any TLSSession {
      throw .unavailable(reason: "none here")
    }
  }

  @Test func `an invalid header or subprotocol is an error`() async {
    await expectFailure(
      of: "ws://localhost/",
      .init(headers: ["X": "a\r\nInjected: b"]),
      error: .handshake(.invalidHeader(name: "X"))
    )
    await expectFailure(
      of: "ws://localhost/",
      .init(subprotocols: ["a b"]),
      error: .handshake(.invalidSubprotocol("a b"))
    )
  }

  @Test func `a connection to a closed port is an error`() async {
    let owner = RawSocket.bound()
    let address = "127.0.0.1:\(owner.port)"
    await expectFailure(of: "ws://\(address)/", error: .transport(.refused(address: address)))
    owner.close()
  }

  @Test func `an unknown host is an error`() async {
    let (socket, recorder) = WebSocket.recorded(to: "ws://no-such-host.invalid/")
    socket.connect()
    await recorder.waitUntilOver()
    guard case .transport(.hostNotFound("no-such-host.invalid", _)) = recorder.value.failure else {
      Issue.record("\(String(describing: recorder.value.failure))")
      return
    }
    #expect(recorder.value.states == Self.failedBeforeConnected)
  }

  private func expectFailure(
    of url: String,
    _ configuration: WebSocketConfiguration = .init(),
    error: WebSocketError
  ) async {
    let (socket, recorder) = WebSocket.recorded(to: url, configuration)
    socket.connect()
    await recorder.waitUntilOver()
    expectFailure(recorder, error)
  }

  private func expectFailure(_ recorder: SocketEventRecorder, _ error: WebSocketError) {
    #expect(recorder.value.failure == error)
    #expect(recorder.value.events == [.error(error), .disconnected(code: .abnormal, reason: "")])
    #expect(recorder.value.states == Self.failedBeforeConnected)
  }

  // MARK: Handshake

  @Test func `a rejection has status, headers and body`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    let peer = await raw.peerWithRequest()
    let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\nContent-Length: 13\r\n\r\n"
    // Two segments, as many servers write them.
    peer.send(Array(head.utf8))
    await EventLoop.shared.settle()
    peer.send(Array("token expired".utf8))
    await recorder.waitUntilOver()
    let headers: HTTPHeaders = ["WWW-Authenticate": "Bearer", "Content-Length": "13"]
    expectFailure(
      recorder,
      .handshake(
        .rejected(
          status: 401,
          reason: "Unauthorized",
          headers: headers,
          body: Data("token expired".utf8)
        )
      )
    )
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
  }

  @Test func `a server of another protocol is recognised by its first bytes`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    await raw.peerWithRequest().send(Array("SSH-2.0-OpenSSH_9.2".utf8))
    await recorder.waitUntilOver()
    expectFailure(recorder, .handshake(.notHTTP))
  }

  @Test func `a wrong Sec-WebSocket-Accept is an error`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    await raw.peerWithRequest().send(
      Array(
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n").utf8
      )
    )
    await recorder.waitUntilOver()
    expectFailure(recorder, .handshake(.badAccept))
  }

  @Test func `a subprotocol that was not offered is an error`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    _ = try await raw.upgradedPeer(headers: "Sec-WebSocket-Protocol: mqtt\r\n")
    await recorder.waitUntilOver()
    expectFailure(recorder, .handshake(.unexpectedSubprotocol("mqtt")))
  }

  @Test func `a server that disconnects during the handshake is an error`() async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    let peer = await raw.peerWithRequest()
    peer.send(Array("HTTP/1.1 101 Swit".utf8))
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    expectFailure(recorder, .handshake(.connectionClosed))
  }

  @Test func `a response that arrives byte by byte is accepted`() async throws {
    let (near, far) = MemoryTransport.pair(maximumDelivery: 1)
    let handshake = try ClientHandshake(WebSocketURL("ws://localhost/"), random: fixedKeys)
    let socket = WebSocket(
      .client(MaskKeys(fixedKeys)), SharedOptions(.init().onStoppedClock), on: .shared
    ) {
      (near, .client(handshake))
    }
    let served = WebSocket(.server, SharedOptions(.init().onStoppedClock), on: .shared) {
      (far, .server(.init()))
    }
    let (recorder, servedRecorder) = (SocketEventRecorder(socket), SocketEventRecorder(served))
    served.connect()
    socket.connect()
    await recorder.waitUntilConnected()
    try socket.send("one byte at a time")
    await servedRecorder.log.wait { $0.texts == ["one byte at a time"] }
    served.close()
    await recorder.waitUntilOver()
    await servedRecorder.waitUntilOver()
  }

  // MARK: Protocol errors

  @Test(
    arguments: [
      ([0x81, 0x81, 1, 2, 3, 4, 5], ProtocolError.maskedServerFrame),
      ([0xC1, 0x01, 0x61], .reservedBitsSet), ([0x83, 0x00], .reservedOpcode(3)),
      ([0x80, 0x00], .continuationWithoutStart), ([0x09, 0x00], .fragmentedControlFrame(.ping)),
      ([0x89, 0x7E, 0x00, 0x7E], .controlFrameTooLong(length: 126)),
      ([0x81, 0x02, 0xC3, 0x28], .textNotUTF8), ([0x88, 0x01, 0x03], .closeFrameTooShort),
      ([0x88, 0x02, 0x03, 0xED], .invalidCloseCode(1_005)),
      (
        [0x82, 0x7F, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF],
        .messageTooLong(length: 0x7FFF_FFFF, limit: 1_000)
      ),
    ] as [([UInt8], ProtocolError)]
  )
  func `a protocol error ends the connection after all earlier messages`(
    bytes: [UInt8],
    error: ProtocolError
  ) async throws {
    let raw = try RawServer()
    var configuration = WebSocketConfiguration()
    configuration.messageLimit = 1_000
    let (socket, recorder) = WebSocket.recorded(to: raw.url, configuration)
    let bag = DisposeBag()
    socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
      .disposed(by: bag)
    socket.connect()
    let good = (0..<5).map { "\($0)" }
    let peer = try await raw.upgradedPeer(
      then: good.flatMap { Wire.frame(0x81, $0, masked: false) } + bytes + [0x81, 0x01, 0x78]
    )
    #expect(await peer.closeCode() == error.closeCode)
    // All echoes are written before the close frame.
    #expect(peer.frames.dropLast().map(\.payload) == good.map { Array($0.utf8) })
    // The error is emitted at once, and the end when the peer has disconnected.
    await recorder.log.wait { $0.errors == [.protocolViolation(error)] }
    #expect(socket.state == .disconnecting)
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    #expect(recorder.value.texts == good)
    #expect(
      recorder.value.events.last == .disconnected(code: error.closeCode, reason: error.description)
    )
    #expect(recorder.value.failure == .protocolViolation(error))
    #expect(
      recorder.value.states == [.idle, .connecting, .connected, .disconnecting, .disconnected])
  }

  // MARK: Lost connections

  @Test(arguments: [[], [0x81, 0x05, 0x61], [0x01, 0x01, 0x61]] as [[UInt8]])
  func `a disconnect without a close frame is a lost connection`(
    half: [UInt8]
  ) async throws {
    let raw = try RawServer()
    let (socket, recorder) = WebSocket.recorded(to: raw.url)
    socket.connect()
    let peer = try await raw.upgradedPeer(then: Wire.frame(0x81, "a", masked: false) + half)
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    #expect(
      recorder.value.events == [
        .connected, .message(.text("a")), .error(.connectionLost),
        .disconnected(code: .abnormal, reason: ""),
      ]
    )
    #expect(recorder.value.failure == .connectionLost)
    #expect(
      recorder.value.states == [.idle, .connecting, .connected, .disconnecting, .disconnected])
  }

  @Test func `a reset is a transport error`() async throws {
    let (near, far) = MemoryTransport.pair()
    let handshake = try ClientHandshake(WebSocketURL("ws://localhost/"), random: fixedKeys)
    let socket = WebSocket(
      .client(MaskKeys(fixedKeys)), SharedOptions(.init().onStoppedClock), on: .shared
    ) {
      (near, .client(handshake))
    }
    let served = WebSocket(.server, SharedOptions(.init().onStoppedClock), on: .shared) {
      (far, .server(.init()))
    }
    let (recorder, servedRecorder) = (SocketEventRecorder(socket), SocketEventRecorder(served))
    served.connect()
    socket.connect()
    await recorder.waitUntilConnected()
    near.fail(.reset)
    for recorder in [recorder, servedRecorder] {
      await recorder.waitUntilOver()
      #expect(recorder.value.failure == .transport(.reset))
      #expect(recorder.value.closeCode == .abnormal)
    }
  }
}
