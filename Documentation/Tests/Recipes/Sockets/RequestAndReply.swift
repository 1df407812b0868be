// Request and reply over a socket
//
// Problem: Several questions are sent over one WebSocket, and each needs its own answer, in
// whatever order the answers arrive.
//
// Words: RPC, JSON-RPC, correlation id, acknowledgement, ack, response, await reply
//
// Why: The request's `id` is its key, and `matching` names the key in the reply. A reply ends its
// request and is no message of the socket; other messages still arrive as usual.
//
// Ends: With the reply, or with a `RequestError`: no reply within five seconds, a lost connection,
// a reply of another type. Disposing of the subscription ends the request; a late reply is counted
// and dropped.
//
// See: Sockets/SendingRequests, Sockets/RequestError, ReactiveTesting/MockWebSocket

import ReactiveTesting
import Sockets
import Testing

struct PriceRequest: Codable, Identifiable, Sendable { var id: Int, item: String }
struct PriceReply: Codable, Equatable, Sendable { var id: Int, cents: Int }

extension WebSocketType {
  /// The price of an item, as the server answers it within five seconds.
  func price(of item: String, id: Int) -> Single<Int> {
    request(
      PriceRequest(id: id, item: item), as: PriceReply.self, matching: \.id, timeout: .seconds(5)
    )
    .map(\.cents)
  }
}

@Test func `each request has its own reply, or its own timeout`() throws {
  let time = VirtualTime()
  let (client, server) = MockWebSocket.pair()
  let prices = ReplaySubject<String>.createUnbounded()
  let bag = DisposeBag()
  time.run {
    for (id, item) in ["tea", "coffee", "cocoa"].enumerated() {
      client.price(of: item, id: id)
        .subscribe(
          onSuccess: { prices.onNext("\(item): \($0)") },
          onFailure: { prices.onNext("\(item): \($0)") }
        )
        .disposed(by: bag)
    }
  }
  try server.send(json: PriceReply(id: 1, cents: 320))
  try server.send(json: PriceReply(id: 0, cents: 250))
  time.advance(by: .seconds(5))
  prices.onCompleted()
  let lines = try prices.toBlocking().toArray()
  #expect(lines == ["coffee: 320", "tea: 250", "cocoa: no reply within 5.0 seconds"])
}
