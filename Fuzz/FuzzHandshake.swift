import Foundation

/// Fuzzes the peer's half of an opening handshake, in both roles.
///
/// For every input there is no trap, the result does not depend on how the bytes are split, and a server
/// can answer each accepted request.
func fuzzHandshake(_ input: FuzzInput) {
  var input = input
  let isServer = input.byte() & 1 != 0
  let split = input.byte()
  let bytes = input.rest
  if isServer {
    require(serve(bytes, split: 0) == serve(bytes, split: split), "it matters where it is split")
  } else {
    require(answer(bytes, split: 0) == answer(bytes, split: split), "it matters where it is split")
  }
}

private let compression = WebSocketCompression.deflate()

/// The result of a server.
private func serve(_ bytes: [UInt8], split: UInt8) -> [UInt8]? {
  var reader = HTTPRequestReader(bodyLimit: nil)
  for part in bytes.split(by: split) {
    do {
      let read = try part.withUnsafeBytes { part in
        var input = part
        return try reader.receive(&input)
      }
      guard case .webSocket(let request)? = read else { continue }
      return try request.accept(
        subprotocol: request.subprotocols.first { $0.isHTTPToken },
        deflate: request.deflate(for: compression)
      )
    } catch let refusal as HandshakeRefusal {
      return refusal.response()
    } catch {
      fatalError("\(error)")
    }
  }
  return nil
}

/// The result of a client.
///
/// `${accept}` in the answer stands for the valid `Sec-WebSocket-Accept`, which a fuzzer cannot guess.
private func answer(_ bytes: [UInt8], split: UInt8) -> String? {
  guard
    let url = try? WebSocketURL("ws://localhost/"),
    var handshake = try? ClientHandshake(
      url,
      subprotocols: ["a", "b"],
      compression: compression,
      random: fixedKeys
    )
  else { fatalError("the request cannot be made") }
  let proof = HandshakeKey(random: fixedKeys).accept
  let bytes = bytes.replacing(Array("${accept}".utf8), with: proof)
  for part in bytes.split(by: split) {
    do {
      let answer = try part.withUnsafeBytes { part in
        var input = part
        return try handshake.receive(&input)
      }
      if let answer { return "\(answer)" }
    } catch HandshakeError.rejected(let status, _, let headers, let body) {
      require(body.count <= 64 << 10, "\(body.count) bytes")
      // The available part of a body without a length depends on the reads.
      return "\(status) \(headers)"
    } catch {
      return "\(error)"
    }
  }
  return handshake.refusal.map { _ in "refused" }
}
