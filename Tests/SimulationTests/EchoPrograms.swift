import ReactiveTesting

/// A server that sends each message back.
final class Echo: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  let server: WebSocketServer
  private let bag = DisposeBag()
  private(set) var received: [String] = []

  init(on address: String = "", port: UInt16 = 8080, tls: TLSServerConfiguration? = nil) throws {
    server = try WebSocketServer(host: address, port: port, tls: tls)
    server.connections.subscribe(onNext: { [weak self, bag] socket in
      socket.messages.catch { _ in .empty() }
        .subscribe(onNext: { [weak self, weak socket] message in
          if let text = message.text { self?.received.append(text) }
          try? socket?.send(message)
        })
        .disposed(by: bag)
    })
    .disposed(by: bag)
  }
}

/// A client that connects again, and counts with the server.
final class Counter: @unchecked Sendable {
  // Used on the thread of the simulation alone.
  let socket: ReconnectingWebSocket
  private(set) var receivedCount = 0
  private(set) var last = 0
  private(set) var isAscending = true
  private(set) var connections = 0
  private(set) var isConnected = false
  private var sent = 0
  private let bag = DisposeBag()

  init(_ url: String = "ws://server:8080/") {
    socket = ReconnectingWebSocket { WebSocket(url) }
    socket.messages.subscribe(onNext: { [weak self] message in
      if let self, let number = message.text.flatMap({ Int($0) }) {
        isAscending = isAscending && number > last
        (last, receivedCount) = (number, receivedCount + 1)
      }
    })
    .disposed(by: bag)
    socket.states.subscribe(onNext: { [weak self] state in
      self?.isConnected = state == .connected
      if state == .connected { self?.connections += 1 }
    })
    .disposed(by: bag)
    socket.connect()
  }

  func count() {
    sent += 1
    try? socket.send("\(sent)")
  }
}
