import Foundation

/// Fuzzes the bytes of a peer, in both roles, with and without compression, with and without frame events.
///
/// For every input there is no trap, the message limit holds, no event follows the end, and the result does
/// not depend on how the bytes are split.
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

private func events(of bytes: [UInt8], _ choices: UInt8, split: UInt8) -> [ConnectionEvent] {
  let isServer = choices & 1 != 0
  var connection = Connection(
    isServer ? .server : .client(MaskKeys(fixedKeys)),
    messageLimit: messageLimit
  )
  connection.wantsFrames = choices & 2 != 0
  if choices & 4 != 0 {
    let window = MessageDeflate.Window(bits: 8 + Int(choices >> 4 & 7), isKept: choices & 8 != 0)
    connection.use(MessageDeflate(threshold: 0, sending: window, receiving: window))
  }
  var events: [ConnectionEvent] = []
  var hasEnded = false
  for part in bytes.split(by: split) {
    part.withUnsafeBytes { part in
      connection.receive(part) { event in
        require(!hasEnded, "\(event) after the end")
        if case .message(let message) = event {
          require(message.data.count <= messageLimit, "\(message.data.count) bytes")
        }
        switch event {
        case .peerClosed, .failed: hasEnded = true
        case .frame, .message, .ping, .pong: break
        }
        events.append(event)
      }
    }
    require(connection.isFinished == hasEnded, "\(connection.state)")
  }
  require(connection.output.count <= bytes.count * 3 + 140, "\(connection.output.count) bytes")
  connection.receiveEnd { _ in hasEnded = true }
  require(hasEnded, "\(connection.state)")
  return events
}
