import Foundation

/// The peer's half of an opening handshake, for both roles.
///
/// Whatever comes, there is no trap, it does not matter where the bytes are split, and what a server
/// accepts it can answer.
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

/// What a server says.
private func serve(_ bytes: [UInt8], split: UInt8) -> [UInt8]? {
  var handshake = ServerHandshake()
  for part in bytes.split(by: split) {
    do {
      let request = try part.withUnsafeBytes { part in
        var input = part
        return try handshake.receive(&input)
      }
      guard let request else { continue }
      return try request.accept(
        subprotocol: request.subprotocols.first { $0.isHTTPToken },
        deflate: request.deflate(for: compression)
      )
    } catch let refusal as HandshakeRefusal {
      return refusal.response
    } catch {
      fatalError("\(error)")
    }
  }
  return nil
}

/// What a client makes of an answer.
///
/// `${accept}` in it stands for the right proof, which nobody guesses.
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
  let proof = Array(HandshakeKey(random: fixedKeys).accept.utf8)
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
      // How much of a body without a length is at hand depends on the reads.
      return "\(status) \(headers)"
    } catch {
      return "\(error)"
    }
  }
  return handshake.refusal.map { _ in "refused" }
}
