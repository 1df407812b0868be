#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's cryptographically secure source of random bytes; that of the simulated host whose code runs
/// here.
let systemRandomBytes: RandomBytes = { memory in
  if let host = SocketHost.current { return host.fill(memory) }
  var rest = memory[...]
  while !rest.isEmpty {
    // 256 bytes are the limit of one call; a call that succeeds fills the whole part.
    let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(256))
    guard let start = part.baseAddress, getentropy(start, part.count) == 0 else {
      preconditionFailure("The system has no random bytes: errno \(errno)")
    }
    rest = rest.dropFirst(part.count)
  }
}
