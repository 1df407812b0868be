import Glibc
import TestSupport
import Testing

@testable import Sockets

@Suite("The errors of the system", .workerPool) struct SystemErrorsTests {
  @Test(
    arguments: [
      (ECONNREFUSED, .refused(address: "a:1")), (EHOSTUNREACH, .unreachable(address: "a:1")),
      (ENETUNREACH, .unreachable(address: "a:1")), (ENETDOWN, .unreachable(address: "a:1")),
      (EHOSTDOWN, .unreachable(address: "a:1")), (ETIMEDOUT, .timedOut(address: "a:1")),
      (EADDRINUSE, .addressInUse(address: "a:1")), (ECONNRESET, .reset), (EPIPE, .reset),
      (EMFILE, .system(errno: EMFILE, operation: "connect")),
    ] as [(Int32, TransportError)]
  )
  func `a system error of an address is a transport error with the address`(
    code: Int32, error: TransportError
  ) {
    #expect(TransportError(errno: code, operation: "connect", address: "a:1") == error)
  }

  @Test func `a system error without an address is a system error, and a reset is a reset`() {
    for code in [ECONNREFUSED, EHOSTUNREACH, ETIMEDOUT, EADDRINUSE] {
      let error = TransportError(errno: code, operation: "read")
      #expect(error == .system(errno: code, operation: "read"))
    }
    for code in [ECONNRESET, EPIPE] {
      #expect(TransportError(errno: code, operation: "read") == .reset)
    }
  }

  @Test func `the last system error belongs to the last call`() {
    _ = close(-1)
    #expect(TransportError.last("close") == .system(errno: EBADF, operation: "close"))
  }

  @Test func `each system error has a message, unknown ones too`() {
    #expect(systemMessage(ENOENT) == "No such file or directory")
    #expect(systemMessage(99_999).contains("99999"))
  }
}
