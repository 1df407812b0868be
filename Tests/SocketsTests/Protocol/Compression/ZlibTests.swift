#if os(Linux)
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ZlibTests {
  @Test func `a missing library or a library without zlib's functions is refused`() {
    #expect(Zlib(library: "libnowhere.so.1") == nil)
    #expect(Zlib(library: "libc.so.6") == nil)
  }

  @Test func `the zlib of the system is found`() {
    #expect(Zlib.shared != nil)
  }
}
#endif
