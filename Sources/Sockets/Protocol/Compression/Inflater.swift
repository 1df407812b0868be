#if os(Linux)
import CReactiveSystem

/// Inflates the messages of one peer (RFC 7692, section 7.2.2).
final class Inflater: @unchecked Sendable {
  typealias Take = MessageInflater.Take

  // One call at a time: the lock that protects the connection protects these.
  private let zlib: Zlib
  private let stream: UnsafeMutablePointer<csystem_zlib_stream>

  private static let room = 16 << 10

  /// - Parameter windowBits: 9 to 15, not less than the peer's
  init(_ zlib: Zlib, windowBits: Int) {
    self.zlib = zlib
    stream = .allocateStream()
    let status = csystem_inflate_init(zlib.table, stream, Int32(windowBits))
    precondition(status == csystem_zlib_ok, "zlib cannot inflate: \(status)")
  }

  deinit {
    csystem_inflate_end(zlib.table, stream)
    stream.deallocate()
  }

  /// Inflates the next bytes of a message and passes the result to `take` in pieces.
  ///
  /// An error that `take` throws stops inflating at once: no byte beyond the limit is produced.
  ///
  /// - Parameter limit: inflated bytes after which it stops; the last piece may exceed it by 16 KiB
  /// - Returns: The number of bytes used; pass the others again.
  @discardableResult
  func inflate(
    _ bytes: UnsafeRawBufferPointer,
    upTo limit: Int = .max,
    _ take: Take
  ) throws(ProtocolError) -> Int {
    var used = 0
    var inflated = 0
    while used < bytes.count, inflated < limit {
      // zlib counts in 32 bits.
      let part = UnsafeRawBufferPointer(rebasing: bytes[used...].prefix(1 << 30))
      inflated += try inflate(part: part, upTo: limit - inflated, take)
      used += part.count - Int(stream.pointee.avail_in)
    }
    return used
  }

  /// Ends a message.
  ///
  /// - Throws: `compressedDataInvalid` unless the message ends with a flush: the next message would
  ///   be misread.
  func finish(_ take: Take) throws(ProtocolError) {
    guard csystem_inflate_is_flushed(zlib.table, stream) != 0 else {
      throw .compressedDataInvalid
    }
    // 7.2.2: append the bytes that the sender removed.
    let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    try tail.withUnsafeBufferPointer { (tail) throws(ProtocolError) in
      _ = try inflate(part: UnsafeRawBufferPointer(tail), upTo: .max, take)
    }
  }

  /// - Returns: The number of inflated bytes.
  private func inflate(
    part: UnsafeRawBufferPointer,
    upTo limit: Int,
    _ take: Take
  ) throws(ProtocolError) -> Int {
    var inflated = 0
    // Bound until this returns: zlib reads the bytes until then.
    stream.pointee.next_in = part.bindMemory(to: UInt8.self).baseAddress
    stream.pointee.avail_in = UInt32(part.count)
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.room) {
      (room) throws(ProtocolError) in
      repeat {
        inflated += try inflate(into: room, take)
        // After the input is used up, zlib may still have the rest of a repetition to output.
      } while stream.pointee.avail_in > 0
        ? inflated < limit : stream.pointee.avail_out == 0
    }
    return inflated
  }

  private func inflate(
    into room: UnsafeMutableBufferPointer<UInt8>,
    _ take: Take
  ) throws(ProtocolError) -> Int {
    stream.pointee.next_out = room.baseAddress
    stream.pointee.avail_out = UInt32(room.count)
    let status = csystem_inflate(zlib.table, stream)
    // Before an error is thrown: earlier output is checked first, wherever the bytes were split.
    let count = room.count - Int(stream.pointee.avail_out)
    if count > 0 { try take(UnsafeRawBufferPointer(start: room.baseAddress, count: count)) }
    switch status {
    // zlib makes no progress when the last output filled the room exactly.
    case csystem_zlib_ok, csystem_zlib_no_progress: break
    // 7.2.3.4: a block may be marked as the last one. Another stream follows it.
    case csystem_zlib_stream_end: _ = csystem_inflate_continue(zlib.table, stream)
    case csystem_zlib_no_memory: preconditionFailure("zlib has no memory")
    default: throw .compressedDataInvalid
    }
    return count
  }
}
#endif
