#if os(Linux)
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ZlibTests {
  @Test func `a library that is not there, or another one, is no zlib`() {
    #expect(Zlib(library: "libnowhere.so.1") == nil)
    #expect(Zlib(library: "libc.so.6") == nil)
  }

  @Test func `the system's zlib is found`() {
    #expect(Zlib.shared != nil)
  }
}
#endif
