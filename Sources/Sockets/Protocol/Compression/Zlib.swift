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

extension UnsafeMutablePointer where Pointee == csystem_zlib_stream {
  /// Allocates a stream at a fixed address, which zlib keeps.
  static func allocateStream() -> Self {
    let stream = allocate(capacity: 1)
    stream.initialize(to: csystem_zlib_stream())
    return stream
  }
}

#else

/// zlib is not bound on this platform, so no compression is offered or accepted.
enum Zlib {
  static let shared: Zlib? = nil
}

final class Deflater: Sendable {
  init(_: Zlib, windowBits _: Int) {}
  func deflate(_: UnsafeRawBufferPointer, isLast _: Bool, _: (UnsafeRawBufferPointer) -> Void) {}
}

final class Inflater: Sendable {
  typealias Take = MessageInflater.Take
  init(_: Zlib, windowBits _: Int) {}
  @discardableResult
  func inflate(
    _ bytes: UnsafeRawBufferPointer,
    upTo _: Int = .max,
    _: Take
  ) throws(ProtocolError) -> Int { bytes.count }
  func finish(_: Take) throws(ProtocolError) {}
}
#endif
