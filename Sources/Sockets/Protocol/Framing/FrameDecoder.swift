#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A part of one frame's payload as it arrived, still masked.
///
/// A frame gives one piece, or several when its bytes arrive in several reads. The first piece is
/// returned when the header is complete, even if empty: limits are checked before bytes are stored.
struct FramePiece {
  var header: FrameHeader
  /// Bytes of the caller's input: valid as long as the input is.
  var bytes: UnsafeRawBufferPointer
  /// The position in the payload at which the bytes begin.
  var offset: Int
  var isFirst: Bool

  var isLast: Bool { offset + bytes.count == header.payloadLength }

  /// Adds the bytes, unmasked, to `data`; returns whether they are known to be ASCII.
  @discardableResult
  func append(to data: inout Data) -> Bool {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return true }
    let end = data.count
    PayloadMemory.useHugePages(in: &data, adding: bytes.count)
    data.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    guard let key = header.maskKey else { return false }
    return data.withUnsafeMutableBytes {
      key.apply(inPlace: UnsafeMutableRawBufferPointer(rebasing: $0[end...]), at: offset)
    }
  }

  /// The unmasked bytes as data, which are unmasked while they are copied.
  var data: Data {
    // Data stores 14 bytes without an allocation. Memory that it has not allocated itself costs it 200
    // instructions, which is more than a second copy of a short message.
    guard let key = header.maskKey, bytes.count > 14 else {
      var data = Data()
      append(to: &data)
      return data
    }
    guard bytes.count > Self.longestCopiedTwice, let block = malloc(bytes.count) else {
      return withUnmaskedBytes { bytes in
        // It takes 80 instructions less than `Data` of the buffer.
        bytes.baseAddress.map { Data(bytes: $0, count: bytes.count) } ?? Data()
      }
    }
    key.apply(to: bytes, at: offset, into: block)
    return Data(bytesNoCopy: block, count: bytes.count, deallocator: .free)
  }

  /// The longest payload in bytes that is unmasked on the stack, and copied from there.
  private static let longestCopiedTwice = 1024

  /// The unmasked bytes as text; nil unless they are UTF-8.
  var text: String? {
    guard let key = header.maskKey, Self.directLengths.contains(bytes.count) else {
      return withUnmasked { bytes, isASCII in
        isASCII ? String(checkedUTF8: bytes, isASCII: true) : String(checkingUTF8: bytes)
      }
    }
    var isText = true
    let text = String(unsafeUninitializedCapacity: bytes.count) { room in
      guard let start = room.baseAddress else { return 0 }
      if !key.apply(to: bytes, at: offset, into: start) {
        var validator = UTF8Validator()
        isText = validator.accept(UnsafeRawBufferPointer(room)) && validator.isComplete
      }
      return isText ? bytes.count : 0
    }
    return isText ? text : nil
  }

  /// The lengths of text that is unmasked into its final memory.
  ///
  /// The standard library checks it once more, which takes longer than a copy of longer text.
  private static let directLengths = 256...(16 << 10)

  /// Passes the unmasked bytes to `body`, valid inside it only.
  func withUnmaskedBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnmasked { (bytes, _) throws(Failure) in try body(bytes) }
  }

  /// The same, with whether the bytes are known to be ASCII.
  private func withUnmasked<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer, _ isASCII: Bool) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let key = header.maskKey, !bytes.isEmpty else { return try body(bytes, false) }
    return try withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) {
      (room) throws(Failure) in
      guard let start = room.baseAddress else { return try body(bytes, false) }
      let isASCII = key.apply(to: bytes, at: offset, into: start)
      return try body(UnsafeRawBufferPointer(room), isASCII)
    }
  }
}

/// Finds the frames in a stream of bytes that may be split anywhere.
///
/// The decoder handles single frames (5.2, 5.5); the assembler makes messages of them.
struct FrameDecoder {
  /// A frame of which not all bytes have arrived.
  private enum Begun {
    /// The bytes of an incomplete header, at most 13.
    case header([UInt8])
    case payload(FrameHeader, received: Int)
  }

  /// Whether RSV1 has a meaning: the handshake agreed upon permessage-deflate.
  var allowsCompression = false

  private let expectsMask: Bool
  /// None between two frames, where most connections are most of the time.
  private var begun = Boxed<Begun>()

  init(expectsMask: Bool) { self.expectsMask = expectsMask }

  /// Takes the next piece off the front of `input`; nil when the input is used up.
  mutating func next(_ input: inout UnsafeRawBufferPointer) throws(ProtocolError) -> FramePiece? {
    if case .payload(let header, let received)? = begun.value {
      guard !input.isEmpty else { return nil }
      return piece(of: header, from: received, isFirst: false, &input)
    }
    guard let header = try nextHeader(&input) else { return nil }
    return piece(of: header, from: 0, isFirst: true, &input)
  }

  /// The whole message at the front of `input`, which the decoder has not begun to read.
  ///
  /// Returns nil in any other case: the rest of a begun frame, fragments, control frames, payloads
  /// longer than 64 KiB, incomplete or malformed frames. `next` handles these. This is a fast path
  /// for the commonest headers that `FrameHeader.parse` accepts: it takes a tenth off the time of a
  /// message. A test compares the two.
  @inline(__always)
  func wholeMessage(at input: UnsafeRawBufferPointer) -> (piece: FramePiece, size: Int)? {
    guard begun.isNone, input.count >= 4 else { return nil }
    let (first, second) = (input[0], input[1])
    // 5.2: the last frame of its message, no reserved bits, text or binary; 5.1: masked or not.
    guard first == 0x81 || first == 0x82, (second & 0x80 != 0) == expectsMask else { return nil }
    var length = Int(second & 0x7F)
    var size = 2
    if length >= 126 {
      guard length == 126 else { return nil }
      length = Int(UInt16(bigEndian: input.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
      size = 4
      // 5.2: the shortest form MUST be used.
      guard length >= 126 else { return nil }
    }
    let keyStart = size
    if expectsMask { size &+= 4 }
    // The key and the payload lie inside `input`.
    guard size &+ length <= input.count else { return nil }
    let key = expectsMask ? input.loadUnaligned(fromByteOffset: keyStart, as: UInt32.self) : nil
    let header = FrameHeader(
      isFinal: true,
      opcode: first == 0x81 ? .text : .binary,
      payloadLength: length,
      maskKey: key.map(MaskKey.init(loaded:))
    )
    let bytes = UnsafeRawBufferPointer(rebasing: input[size..<(size &+ length)])
    return (FramePiece(header: header, bytes: bytes, offset: 0, isFirst: true), size &+ length)
  }

  /// Continues after the used bytes of `piece`: the next piece begins with its unused rest.
  mutating func giveBack(after piece: FramePiece) {
    begun.value = .payload(piece.header, received: piece.offset + piece.bytes.count)
  }

  private mutating func piece(
    of header: FrameHeader,
    from offset: Int,
    isFirst: Bool,
    _ input: inout UnsafeRawBufferPointer
  ) -> FramePiece {
    let bytes = input.removePrefix(min(header.payloadLength - offset, input.count))
    let piece = FramePiece(header: header, bytes: bytes, offset: offset, isFirst: isFirst)
    begun.value = piece.isLast ? nil : .payload(header, received: offset + bytes.count)
    return piece
  }

  private mutating func nextHeader(
    _ input: inout UnsafeRawBufferPointer
  ) throws(ProtocolError) -> FrameHeader? {
    guard case .header(var bytes)? = begun.take() else {
      if let (header, size) = try parse(input) {
        _ = input.removePrefix(size)
        return header
      }
      if !input.isEmpty { begun.value = .header(Array(input.removePrefix(input.count))) }
      return nil
    }
    while let byte = input.first {
      _ = input.removePrefix(1)
      bytes.append(byte)
      let parsed = try bytes.withUnsafeBufferPointer { bytes throws(ProtocolError) in
        try parse(UnsafeRawBufferPointer(bytes))
      }
      if let (header, _) = parsed { return header }
    }
    begun.value = .header(bytes)
    return nil
  }

  private func parse(
    _ bytes: UnsafeRawBufferPointer
  ) throws(ProtocolError) -> (header: FrameHeader, size: Int)? {
    try FrameHeader.parse(
      bytes,
      expectsMask: expectsMask,
      allowsCompression: allowsCompression
    )
  }
}

extension UnsafeRawBufferPointer {
  /// Removes the first `count` bytes and returns them; there must be at least as many.
  mutating func removePrefix(_ count: Int) -> UnsafeRawBufferPointer {
    let prefix = UnsafeRawBufferPointer(rebasing: self[..<count])
    self = UnsafeRawBufferPointer(rebasing: self[count...])
    return prefix
  }
}
