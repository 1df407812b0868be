@testable import Sockets

/// TLS without a secret: bytes pass as they are.
///
/// It does what real sessions do rarely.
///
/// Touched under the lock of the transport that it belongs to, and by tests when nothing moves.
final class PlainSession: TLSSession {
  /// How many bytes of its own each byte of the peer is answered with.
  private let answer: Int
  /// Whether nothing can be written before something was read.
  private var mustRead: Bool
  private var output: [UInt8] = []

  init(answer: Int = 0, mustRead: Bool = false) {
    self.answer = answer
    self.mustRead = mustRead
  }

  /// How much waits to be sent.
  var waiting: Int { output.count }

  func shakeHands(_ input: inout UnsafeRawBufferPointer) -> Bool { true }

  func read(
    _ input: inout UnsafeRawBufferPointer,
    into plaintext: UnsafeMutableRawBufferPointer
  ) -> TLSInput {
    let count = min(input.count, plaintext.count)
    guard count > 0 else { return .needsMore }
    plaintext.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
    input = UnsafeRawBufferPointer(rebasing: input[count...])
    output += [UInt8](repeating: 0, count: count * answer)
    mustRead = false
    return .bytes(count)
  }

  func write(_ plaintext: UnsafeRawBufferPointer) -> Int {
    if mustRead { return 0 }
    output += plaintext
    return plaintext.count
  }

  func end() {}

  func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool {
    while !output.isEmpty {
      let taken = output.withUnsafeBytes { take($0) }
      guard taken > 0 else { return false }
      output.removeFirst(taken)
    }
    return true
  }
}
