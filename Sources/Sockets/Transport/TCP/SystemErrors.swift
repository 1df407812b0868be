#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension TransportError {
  /// The error that the last system call has left in `errno`.
  static func last(_ operation: String) -> TransportError {
    TransportError(errno: errno, operation: operation)
  }

  /// - Parameter address: address of the operation, if it has one
  init(errno code: Int32, operation: String, address: String? = nil) {
    switch (code, address) {
    case (ECONNRESET, _), (EPIPE, _): self = .reset
    case (ECONNREFUSED, let address?): self = .refused(address: address)
    case (ENETUNREACH, let address?), (EHOSTUNREACH, let address?), (ENETDOWN, let address?),
      (EHOSTDOWN, let address?):
      self = .unreachable(address: address)
    case (ETIMEDOUT, let address?): self = .timedOut(address: address)
    case (EADDRINUSE, let address?): self = .addressInUse(address: address)
    default: self = .system(errno: code, operation: operation)
    }
  }
}

/// The system's text for an `errno`.
func systemMessage(_ code: Int32) -> String {
  // `strerror` is not thread-safe on every system; `strerror_r` is.
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
    guard let base = buffer.baseAddress, strerror_r(code, base, buffer.count) == 0 else {
      return "error \(code)"
    }
    return String(cString: base)
  }
}
