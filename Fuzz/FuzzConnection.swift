import Foundation

/// Fuzzes the bytes of a peer, in both roles, with and without compression, with and without frame events.
///
/// For every input there is no trap, the message limit holds, nothing is sent without the session, and the
/// result does not depend on how the bytes are split.
func fuzzConnection(_ input: FuzzInput) {
  var input = input
  let choices = input.byte()
  let split = input.byte()
  let bytes = input.rest
  let whole = events(of: bytes, choices, split: 0)
  let parts = events(of: bytes, choices, split: split)
  require(whole == parts, "it matters where it is split:\n\(whole)\n\(parts)")
}

private let messageLimit = 2048

/// What the peer sent, up to its close frame or the error that ends the connection.
private struct Received: Equatable {
  var events: [MessageCodec.Event] = []
  var error: ProtocolError?
  var hasEnded = false
}

private func events(of bytes: [UInt8], _ choices: UInt8, split: UInt8) -> Received {
  let isServer = choices & 1 != 0
  var codec = MessageCodec(
    isServer ? .server : .client(MaskKeys(fixedKeys)),
    messageLimit: messageLimit,
    fragmentSize: 65536
  )
  codec.wantsFrames = choices & 2 != 0
  if choices & 4 != 0 {
    let window = MessageDeflate.Window(bits: 8 + Int(choices >> 4 & 7), isKept: choices & 8 != 0)
    codec.use(MessageDeflate(threshold: 0, sending: window, receiving: window))
  }
  var received = Received()
  for part in bytes.split(by: split) {
    part.withUnsafeBytes { part in codec.receive(part, into: &received) }
    if received.hasEnded { break }
  }
  require(codec.output.isEmpty, "\(codec.output.count) bytes")
  codec.closeAtOnce(received.error.map { ClosePayload(code: $0.closeCode, reason: $0.description) })
  require(codec.output.count <= 140 && codec.unfinishedBytes == 0, "\(codec.unfinishedBytes) bytes")
  return received
}

extension MessageCodec {
  fileprivate mutating func receive(_ part: UnsafeRawBufferPointer, into received: inout Received) {
    var input = part
    do throws(ProtocolError) {
      repeat {
        while let event = try next(from: &input) {
          if case .message(let message) = event {
            require(message.data.count <= messageLimit, "\(message.data.count) bytes")
          }
          received.events.append(event)
          if case .close = event {
            received.hasEnded = true
            return
          }
        }
      } while !input.isEmpty
    } catch {
      received.error = error
      received.hasEnded = true
    }
  }
}
