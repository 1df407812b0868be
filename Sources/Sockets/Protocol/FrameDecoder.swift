#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A stretch of one frame's payload as it came, still masked.
///
/// A frame gives one piece, or several when the bytes came in several reads. The first one comes as
/// soon as the header is known, empty if need be: limits are checked before anything is kept.
struct FramePiece {
  var header: FrameHeader
  /// Bytes of the caller's input: valid until the caller lets go of it.
  var bytes: UnsafeRawBufferPointer
  /// Where in the payload the bytes begin.
  var offset: Int
  var isFirst: Bool

  var isLast: Bool { offset + bytes.count == header.payloadLength }

  /// Adds the bytes, unmasked, to `data`.
  func append(to data: inout Data) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
    let end = data.count
    PayloadMemory.useHugePages(in: &data, adding: bytes.count)
    data.append(start.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    guard let key = header.maskKey else { return }
    data.withUnsafeMutableBytes {
      key.apply(inPlace: UnsafeMutableRawBufferPointer(rebasing: $0[end...]), at: offset)
    }
  }

  /// Shows the bytes unmasked.
  ///
  /// They are valid inside of `body` only.
  func withUnmaskedBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let key = header.maskKey, !bytes.isEmpty else { return try body(bytes) }
    return try withUnsafeTemporaryAllocation(byteCount: bytes.count, alignment: 8) {
      (room) throws(Failure) in
      guard let start = room.baseAddress else { return try body(bytes) }
      key.apply(to: bytes, at: offset, into: start)
      return try body(UnsafeRawBufferPointer(room))
    }
  }
}

/// Finds the frames in a stream of bytes that may be split anywhere.
///
/// It knows single frames only (5.2, 5.5); how they make up messages is the assembler's business.
struct FrameDecoder {
  private enum Position {
    case header
    case payload(FrameHeader, received: Int)
  }

  /// Whether RSV1 has a meaning: permessage-deflate was agreed upon.
  var allowsCompression = false

  private let expectsMask: Bool
  private var position = Position.header
  /// The beginning of a header whose rest has not come yet, at most 13 bytes.
  private var partialHeader: [UInt8] = []

  init(expectsMask: Bool) { self.expectsMask = expectsMask }

  /// The next piece, taken off the front of `input`; nil when the input is used up.
  mutating func next(_ input: inout UnsafeRawBufferPointer) throws(ProtocolError) -> FramePiece? {
    switch position {
    case .header:
      guard let header = try nextHeader(&input) else { return nil }
      return piece(of: header, from: 0, isFirst: true, &input)
    case .payload(let header, let received):
      guard !input.isEmpty else { return nil }
      return piece(of: header, from: received, isFirst: false, &input)
    }
  }

  /// The whole message that `input` begins with, which nobody has taken yet.
  ///
  /// Nil for anything else: the end of a frame that has begun, fragments, control frames, what is
  /// longer than 64 KiB, incomplete or wrong. `next` tells which it is. Of the headers that
  /// `FrameHeader.parse` takes it knows the commonest by itself, in a tenth less of a message's time; a
  /// test compares the two.
  @inline(__always)
  func wholeMessage(at input: UnsafeRawBufferPointer) -> (piece: FramePiece, size: Int)? {
    guard case .header = position, partialHeader.isEmpty, input.count >= 4 else { return nil }
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
    // The key and the payload lie inside of `input`.
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

  /// Takes back the end of the last piece, which was not used: the next piece begins there.
  mutating func giveBack(after piece: FramePiece) {
    position = .payload(piece.header, received: piece.offset + piece.bytes.count)
  }

  private mutating func piece(
    of header: FrameHeader,
    from offset: Int,
    isFirst: Bool,
    _ input: inout UnsafeRawBufferPointer
  ) -> FramePiece {
    let bytes = input.removePrefix(min(header.payloadLength - offset, input.count))
    let piece = FramePiece(header: header, bytes: bytes, offset: offset, isFirst: isFirst)
    position = piece.isLast ? .header : .payload(header, received: offset + bytes.count)
    return piece
  }

  private mutating func nextHeader(
    _ input: inout UnsafeRawBufferPointer
  ) throws(ProtocolError) -> FrameHeader? {
    if partialHeader.isEmpty {
      if let (header, size) = try parse(input) {
        _ = input.removePrefix(size)
        return header
      }
      partialHeader.append(contentsOf: input.removePrefix(input.count))
      return nil
    }
    while let byte = input.first {
      _ = input.removePrefix(1)
      partialHeader.append(byte)
      let parsed = try partialHeader.withUnsafeBufferPointer { bytes throws(ProtocolError) in
        try parse(UnsafeRawBufferPointer(bytes))
      }
      guard let (header, _) = parsed else { continue }
      partialHeader.removeAll(keepingCapacity: true)
      return header
    }
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
  /// Takes the first `count` bytes off the front.
  ///
  /// There have to be as many.
  mutating func removePrefix(_ count: Int) -> UnsafeRawBufferPointer {
    let prefix = UnsafeRawBufferPointer(rebasing: self[..<count])
    self = UnsafeRawBufferPointer(rebasing: self[count...])
    return prefix
  }
}
