import Foundation

/// The bytes of the standard input, read when they are asked for.
enum StandardInput {
  private static let queue = DispatchQueue(label: "standard input")

  /// Waits for bytes; none at the end.
  static func next() async -> [UInt8] {
    await withCheckedContinuation { continuation in
      // `read` blocks its thread.
      queue.async { continuation.resume(returning: readBytes()) }
    }
  }

  private static func readBytes() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      var result: Int
      repeat {
        result = read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      } while result < 0 && errno == EINTR
      count = max(0, result)
    }
  }
}
