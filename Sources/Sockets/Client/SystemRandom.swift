#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's generator of bytes that nobody can foresee.
let systemRandomBytes: RandomBytes = { memory in
  var rest = memory[...]
  while !rest.isEmpty {
    // 256 is what one call gives at most; it then neither fails nor gives fewer.
    let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(256))
    guard let start = part.baseAddress, getentropy(start, part.count) == 0 else {
      preconditionFailure("The system has no random bytes: errno \(errno)")
    }
    rest = rest.dropFirst(part.count)
  }
}
