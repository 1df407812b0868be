#if os(Linux)
import CReactiveSystem

/// The system's zlib, found when it is first asked for: compiling needs nothing of it.
struct Zlib: @unchecked Sendable {
  // Filled once and never freed; its functions may be called from any thread.
  let table: UnsafePointer<csystem_zlib>

  /// Nil when there is no zlib, or one that does not work as it is declared here.
  static let shared = Zlib(library: "libz.so.1")

  /// - Parameter library: Its name, as the dynamic linker looks for it.
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
  /// A stream in memory of its own: zlib keeps its address.
  static func allocateStream() -> Self {
    let stream = allocate(capacity: 1)
    stream.initialize(to: csystem_zlib_stream())
    return stream
  }
}

#else

/// Not bound on this platform: there is none, and so nobody compresses.
enum Zlib {
  static let shared: Zlib? = nil
}

final class Deflater: Sendable {
  init(_: Zlib, windowBits _: Int) {}
  func deflate(_: UnsafeRawBufferPointer, _: (UnsafeRawBufferPointer) -> Void) {}
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
