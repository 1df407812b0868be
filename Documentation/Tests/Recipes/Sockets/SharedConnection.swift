// Two tabs, one socket
//
// Problem: Two screens show the same live prices, and should share one connection, which closes
// when neither is shown.
//
// Words: share connection, multicast, refCount, single WebSocket, several subscribers, hot
// observable
//
// Why: `share(scope: .whileConnected)` subscribes for the first screen and disposes after the last
// one. `replay: 1` gives the second screen the newest message at once.
//
// Ends: The connection closes with the last subscription, and the next one opens a new connection.
// When the socket fails, all screens receive the error; put a `retry(backoff)` before the `share`,
// or share a `ReconnectingWebSocket`.
//
// See: share, create, retry(backoff), Reactive/Sharing, Sockets/SocketEffects

import ReactiveTesting
import Sockets
import Testing

/// The messages of one connection, which is open while there is a subscription.
func sharedMessages(
  _ connect: @escaping @Sendable () -> any WebSocketType
) -> Observable<String> {
  Observable<String>.create { observer in
    let socket = connect()
    let messages = socket.messages.compactMap(\.text).subscribe(observer)
    socket.connect()
    return Disposables.create {
      messages.dispose()
      socket.close(code: .goingAway)
    }
  }
  .share(replay: 1, scope: .whileConnected)
}

@Test func `two screens share a connection, which the last one closes`() throws {
  let (client, server) = MockWebSocket.pair(isOpen: false)
  let prices = sharedMessages { client }
  server.connect()
  let first = ReplaySubject<String>.createUnbounded()
  let second = ReplaySubject<String>.createUnbounded()
  let table = prices.subscribe(first)
  try server.send("tea 250")
  let chart = prices.subscribe(second)  // It receives "tea 250", too.
  try server.send("tea 260")
  table.dispose()
  #expect(server.state == .connected)
  chart.dispose()
  #expect(server.state == .disconnected)
  for screen in [first, second] {
    screen.onCompleted()
    #expect(try screen.toBlocking().toArray() == ["tea 250", "tea 260"])
  }
}
