#if os(Linux)
import CReactiveSystem

/// The system's zlib, loaded on first use: it is not needed to compile.
struct Zlib: @unchecked Sendable {
  // Filled once and never freed; any thread may call its functions.
  let table: UnsafePointer<csystem_zlib>

  /// Nil without zlib, or when its functions do not match the declarations here.
  static let shared = Zlib(library: "libz.so.1")

  /// - Parameter library: file name that the dynamic linker searches for
  init?(library: String) {
    let table = UnsafeMutablePointer<csystem_zlib>.allocate(capacity: 1)
    table.initialize(to: csystem_zlib())
    self.table = UnsafePointer(table)
    var stream = csystem_zlib_stream()
    guard csystem_zlib_load(table, library) == 0,
      csystem_inflate_init(table, &stream, 15) == csystem_zlib_ok
    else {
      table.deallocate()
      return nil
    }
    csystem_inflate_end(table, &stream)
  }
}

/// The state of zlib for the messages of one direction.
final class ZlibStream: @unchecked Sendable {
  // One call at a time: the lock that protects the connection protects these.
  private let table: UnsafePointer<csystem_zlib>
  private let state = UnsafeMutablePointer<csystem_zlib_stream>.allocate(capacity: 1)
  private let deflates: Bool
  /// The compressed bytes of the current piece.
  private var output: [UInt8] = []

  /// How much of the output's memory is kept for the next message, in bytes.
  private static let retainedCapacity = 4 << 10

  /// - Parameters:
  ///   - windowBits: 9 to 15; a stream that inflates needs at least the peer's
  ///   - deflates: whether the stream deflates; otherwise it inflates
  init(_ zlib: Zlib, windowBits: Int, deflates: Bool) {
    table = zlib.table
    self.deflates = deflates
    state.initialize(to: csystem_zlib_stream())
    let bits = Int32(windowBits)
    // zlib's default for 15 bits is 8: its tables then take as much memory as its window.
    let status =
      deflates
      ? csystem_deflate_init(table, state, bits, bits - 7)
      : csystem_inflate_init(table, state, bits)
    precondition(status == csystem_zlib_ok, "zlib has no stream: \(status)")
  }

  deinit {
    if deflates { csystem_deflate_end(table, state) } else { csystem_inflate_end(table, state) }
    state.deallocate()
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
      run(part, flushes: isLast && rest.isEmpty) { status, bytes in
        // zlib makes no progress when the last output filled the room exactly.
        precondition(
          status == csystem_zlib_ok || status == csystem_zlib_no_progress,
          "zlib does not compress: \(status)"
        )
        output.append(contentsOf: bytes)
        return true
      }
    } while !rest.isEmpty
    // 7.2.1: the flush ends with 00 00 FF FF, which is not sent.
    output.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0.dropLast(isLast ? 4 : 0))) }
    output.removeAll(keepingCapacity: output.capacity <= Self.retainedCapacity)
  }

  /// Inflates the next bytes of a message and passes the result to `take` in pieces.
  ///
  /// - Parameter limit: inflated bytes after which it stops; the last piece may exceed it by 16 KiB
  /// - Returns: The number of bytes used.
  func inflate(
    _ bytes: UnsafeRawBufferPointer, upTo limit: Int, _ take: MessageInflater.Take
  ) throws(ProtocolError) -> Int {
    var inflated = 0
    // zlib counts in 32 bits.
    let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(1 << 30))
    try run(part) { (status, bytes) throws(ProtocolError) in
      // Before an error is thrown: earlier output is checked first, wherever the bytes were split.
      if !bytes.isEmpty { try take(bytes) }
      inflated += bytes.count
      switch status {
      // zlib makes no progress when the last output filled the room exactly.
      case csystem_zlib_ok, csystem_zlib_no_progress: break
      // 7.2.3.4: a block may be marked as the last one. Another stream follows it.
      case csystem_zlib_stream_end: _ = csystem_inflate_continue(table, state)
      case csystem_zlib_no_memory: preconditionFailure("zlib has no memory")
      default: throw .compressedDataInvalid
      }
      return inflated < limit
    }
    return part.count - Int(state.pointee.avail_in)
  }

  /// Whether the inflated bytes end with a flush, as a message does.
  var isFlushed: Bool { csystem_inflate_is_flushed(table, state) != 0 }

  /// Calls zlib until all of `part` is used and all output was passed to `body`.
  ///
  /// - Parameters:
  ///   - flushes: whether a message that is deflated ends with `part`
  ///   - body: receives zlib's status and output; returns whether to use more of `part`
  private func run<Failure: Error>(
    _ part: UnsafeRawBufferPointer,
    flushes: Bool = false,
    _ body: (_ status: Int32, _ output: UnsafeRawBufferPointer) throws(Failure) -> Bool
  ) throws(Failure) {
    // Bound until this returns: zlib reads the bytes until then.
    state.pointee.next_in = part.bindMemory(to: UInt8.self).baseAddress
    state.pointee.avail_in = UInt32(part.count)
    try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16 << 10) {
      (room) throws(Failure) in
      var usesMore = true
      repeat {
        state.pointee.next_out = room.baseAddress
        state.pointee.avail_out = UInt32(room.count)
        let status =
          deflates
          ? csystem_deflate(table, state, flushes ? 1 : 0) : csystem_inflate(table, state)
        let count = room.count - Int(state.pointee.avail_out)
        usesMore = try body(status, UnsafeRawBufferPointer(start: room.baseAddress, count: count))
        // After the input is used up, zlib may still have the rest of a repetition to output.
      } while state.pointee.avail_in > 0 ? usesMore : state.pointee.avail_out == 0
    }
  }
}

#else

/// zlib is not bound on this platform, so no compression is offered or accepted.
enum Zlib {
  static let shared: Zlib? = nil
}

final class ZlibStream: Sendable {
  let isFlushed = false
  init(_: Zlib, windowBits _: Int, deflates _: Bool) {}
  func deflate(_: UnsafeRawBufferPointer, isLast _: Bool, _: (UnsafeRawBufferPointer) -> Void) {}
  func inflate(
    _: UnsafeRawBufferPointer, upTo _: Int, _: MessageInflater.Take
  ) throws(ProtocolError) -> Int { 0 }
}
#endif
