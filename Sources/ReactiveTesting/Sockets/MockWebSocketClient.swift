import Foundation

extension WebSocketClient {
  /// A client whose sockets are mocks.
  ///
  /// ```swift
  /// let (socket, server) = MockWebSocket.pair(isOpen: false)
  /// let test = TestComposer(ChatComposer(client: .mock { _, _, _ in socket }))
  /// test.send(.connect)
  /// server.connect()  // accepts
  /// ```
  ///
  /// - Parameter makeSocket: creates the socket for an id, a URL and subprotocols. The test holds
  ///   the other end.
  public static func mock(
    _ makeSocket: @escaping @Sendable (ID, _ url: URL, _ subprotocols: [String]) -> MockWebSocket
  ) -> WebSocketClient {
    WebSocketClient { id, url, subprotocols in
      let socket = makeSocket(id, url, subprotocols)
      let messages = socket.messages.values
      return ClientSocket(
        socket,
        lifecycle: socket.events,
        receive: {
          // Iterators of one stream share its elements.
          var iterator = messages.makeAsyncIterator()
          if let message = try await iterator.next() { return message }
          try Task.checkCancellation()
          throw socket.endError
        },
        send: { try socket.send($0) },
        ping: { try socket.ping() }
      )
    }
  }

  /// A client whose closures fail the test with their names.
  ///
  /// Replace the closures that a test expects to be called.
  ///
  /// ```swift
  /// var client = WebSocketClient.unimplemented
  /// client.send = { _, message in sent.append(message) }
  /// ```
  public static let unimplemented = WebSocketClient(
    open: ReactiveTesting.unimplemented("WebSocketClient.open", placeholder: .finished),
    receive: ReactiveTesting.unimplemented("WebSocketClient.receive", placeholder: .finished),
    send: ReactiveTesting.unimplemented("WebSocketClient.send"),
    sendPing: ReactiveTesting.unimplemented("WebSocketClient.sendPing"),
    close: ReactiveTesting.unimplemented("WebSocketClient.close")
  )
}

extension AsyncStream {
  /// An empty stream.
  fileprivate static var finished: AsyncStream { AsyncStream { $0.finish() } }
}
