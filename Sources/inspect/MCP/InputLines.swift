import Foundation

/// The lines of the standard input, read when they are asked for.
enum InputLines {
  private static let queue = DispatchQueue(label: "standard input")

  /// Waits for the next line; nil at the end.
  static func next() async -> String? {
    await withCheckedContinuation { continuation in
      // `readLine` blocks its thread.
      queue.async { continuation.resume(returning: readLine()) }
    }
  }
}
