import Foundation

/// Fuzzes plain HTTP requests and WebSocket requests, one after the other.
///
/// For every input there is no trap, the result does not depend on how the bytes are split, and no body is
/// longer than the limit.
func fuzzRequests(_ input: FuzzInput) {
  var input = input
  let limit = Int(input.byte())
  let split = input.byte()
  let bytes = input.rest
  let whole = requests(in: bytes, limit: limit, split: 0)
  let parts = requests(in: bytes, limit: limit, split: split)
  require(whole == parts, "it matters where it is split: \(whole) \(parts)")
}

private func requests(in bytes: [UInt8], limit: Int, split: UInt8) -> [String] {
  var reader = HTTPRequestReader(bodyLimit: limit)
  var seen: [String] = []
  for part in bytes.split(by: split) {
    do {
      try part.withUnsafeBytes { part in
        var input = part
        while true {
          let request = try reader.receive(&input)
          require(reader.unfinishedBytes <= limit, "\(reader.unfinishedBytes) bytes")
          if reader.isContinueExpected {
            reader.noteContinued()
            seen.append("continue")
            continue
          }
          guard let request else { return }
          switch request {
          case .webSocket(let asked):
            // The following bytes are frames.
            seen.append("websocket \(asked.head.path)")
            throw CancellationError()
          case .plain(let head, let body):
            require(body.count <= limit, "\(body.count) bytes")
            seen.append(
              "\(head.method) \(head.path) \(head.query ?? "") \([UInt8](body)) \(head.keepsAlive)")
          }
        }
      }
    } catch let refusal as HandshakeRefusal {
      return seen + ["\(refusal.status) \(refusal.body)"]
    } catch {
      return seen
    }
  }
  return seen
}

/// Fuzzes the headers in which proxies report the address of a client.
///
/// For every input there is no trap, elements of untrusted senders are ignored, a printed address is parsed
/// as the same address, and text before or within a proxy's element does not change the result.
func fuzzForwarded(_ input: FuzzInput) {
  var input = input
  let decisions = input.byte()
  let header = decisions & 1 == 0 ? TrustedProxies.Header.xForwardedFor : .forwarded
  guard let peer = NetworkAddress("10.0.0.1") else {
    fatalError("an address is none")
  }
  let proxies = TrustedProxies(["10.0.0.0/8"], header: header)
  let headers = HTTPHeaders(
    String(decoding: input.rest, as: UTF8.self).split(separator: "\n").map { line in
      .init(name: header == .forwarded ? "forwarded" : "x-forwarded-for", value: String(line))
    })
  if let stranger = NetworkAddress("192.0.2.1") {
    require(proxies.client(of: stranger, headers) == stranger, "a stranger's word counts")
  }
  if header == .forwarded { forge(String(decoding: input.rest, as: UTF8.self), proxies, peer) }
  guard let client = proxies.client(of: peer, headers) else { return }
  require(
    NetworkAddress(forwarded: "\(client)"[...]) == client, "\(client) is read as another address")
  let remoteClient = RemoteClient(number: 1, peerAddress: peer, address: client)
  var form: [UInt8] = []
  remoteClient.append(to: &form)
  require(RemoteClient(form: form[...]) == remoteClient, "\(form) is read as another client")
}

/// The header with a client's own elements: in its host, and before the proxy's element.
private func forge(_ text: String, _ proxies: TrustedProxies, _ peer: NetworkAddress) {
  guard let client = NetworkAddress("203.0.113.9") else { fatalError("an address is none") }
  // By bytes: a quote and a mark behind it are one character.
  let special: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "\"")]
  let escaped = text.utf8.flatMap { special.contains($0) ? [special[0], $0] : [$0] }
  let quoted = String(decoding: escaped, as: UTF8.self)
  let element = "for=203.0.113.9;host=\"\(quoted)\";proto=https"
  let field = HTTPHeaders.Field(name: "forwarded", value: element)
  let before = HTTPHeaders.Field(name: "forwarded", value: text)
  for headers in [HTTPHeaders([field]), HTTPHeaders([before, field])] {
    require(proxies.client(of: peer, headers) == client, "the client is another one")
  }
  let joined: HTTPHeaders = ["Forwarded": "\(text), \(element)"]
  let seen = proxies.client(of: peer, joined)
  require(seen == client || seen == nil, "the client is forged")
}
