import ReactiveTesting

@testable import Sockets

/// A TLS session without encryption.
///
/// It forces rare behavior of real sessions.
///
/// Used under its transport's lock, and by tests while the transport is idle.
final class PlainSession: TLSSession {
  /// The number of answer bytes for each byte of the peer.
  private let answer: Int
  /// Whether a write must wait for a read.
  private var mustRead: Bool
  private var output: [UInt8] = []

  init(answer: Int = 0, mustRead: Bool = false) {
    self.answer = answer
    self.mustRead = mustRead
  }

  /// The number of queued bytes.
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

  func drain(_ take: (UnsafeRawBufferPointer) -> Int) -> Bool { output.drain(take) }
}
