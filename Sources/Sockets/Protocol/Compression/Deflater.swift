#if os(Linux)
import CReactiveSystem

/// Compresses the messages of one side (RFC 7692, section 7.2.1).
final class Deflater: @unchecked Sendable {
  // One call at a time: the lock that protects the connection protects these.
  private let zlib: Zlib
  private let stream: UnsafeMutablePointer<csystem_zlib_stream>
  private var output: [UInt8] = []

  /// How much of the output's memory is kept for the next message, in bytes.
  private static let retainedCapacity = 4 << 10
  private static let room = 16 << 10

  /// - Parameter windowBits: 9 to 15
  init(_ zlib: Zlib, windowBits: Int) {
    self.zlib = zlib
    stream = .allocateStream()
    // zlib's default for 15 bits is 8: its tables then take as much memory as its window.
    let status = csystem_deflate_init(zlib.table, stream, Int32(windowBits), Int32(windowBits - 7))
    precondition(status == csystem_zlib_ok, "zlib cannot compress: \(status)")
  }

  deinit {
    csystem_deflate_end(zlib.table, stream)
    stream.deallocate()
  }

  /// Passes the compressed form of a message or a piece to `body`, valid inside it only.
  ///
  /// zlib may hold back a part of the output until the next piece; the last piece outputs all.
  ///
  /// - Parameter isLast: whether the message ends with `piece`, which is not empty
  func deflate(
    _ piece: UnsafeRawBufferPointer, isLast: Bool, _ body: (UnsafeRawBufferPointer) -> Void
  ) {
    var rest = piece
    repeat {
      // zlib counts in 32 bits.
      let part = rest.removePrefix(min(rest.count, 1 << 30))
      compress(part, flushes: isLast && rest.isEmpty)
    } while !rest.isEmpty
    // 7.2.1: the flush ends with 00 00 FF FF, which is not sent.
    output.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast(isLast ? 4 : 0))) }
    output.removeAll(keepingCapacity: output.capacity <= Self.retainedCapacity)
  }

  private func compress(_ bytes: UnsafeRawBufferPointer, flushes: Bool) {
    // Bound while zlib reads the bytes: until the input is used up.
    stream.pointee.next_in = bytes.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_in = UInt32(bytes.count)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.room) { room in
      repeat {
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = UInt32(room.count)
        let status = csystem_deflate(zlib.table, stream, flushes ? 1 : 0)
        // zlib makes no progress when the last output filled the room exactly.
        precondition(
          status == csystem_zlib_ok || status == csystem_zlib_no_progress,
          "zlib does not compress: \(status)"
        )
        output.append(contentsOf: room.dropLast(Int(stream.pointee.avail_out)))
      } while stream.pointee.avail_out == 0
    }
  }
}
#endif
