#if canImport(Glibc)
import CReactiveSystem
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A non-blocking TCP socket: the system calls, without policy.
///
/// The owner closes it once. Calls that a signal interrupted are repeated.
struct Socket: Sendable {
  let descriptor: Int32

  #if canImport(Glibc)
  static let streamType = Int32(SOCK_STREAM.rawValue)
  private static let sendFlags = Int32(MSG_NOSIGNAL)
  #else
  static let streamType = SOCK_STREAM
  private static let sendFlags: Int32 = 0
  #endif

  /// Opens a socket for addresses of `family`.
  static func open(family: Int32) throws(TransportError) -> Socket {
    #if canImport(Glibc)
    let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(family, streamType | flags, 0)
    guard descriptor >= 0 else { throw .last("socket") }
    return Socket(descriptor: descriptor)
    #else
    let descriptor = socket(family, streamType, 0)
    guard descriptor >= 0 else { throw .last("socket") }
    return try Socket(descriptor: descriptor).madeNonBlocking()
    #endif
  }

  #if canImport(Darwin)
  /// Sets the options that Linux sets when a socket is made.
  ///
  /// There they are `SOCK_NONBLOCK`, `SOCK_CLOEXEC` and `MSG_NOSIGNAL`.
  private func madeNonBlocking() throws(TransportError) -> Socket {
    guard
      fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      set(SO_NOSIGPIPE, at: SOL_SOCKET)
    else {
      let error = TransportError.last("fcntl")
      close()
      throw error
    }
    return self
  }
  #endif

  /// Closes the descriptor.
  ///
  /// Not repeated when interrupted: another thread may have opened the same number already.
  func close() {
    #if canImport(Glibc)
    Glibc.close(descriptor)
    #else
    Darwin.close(descriptor)
    #endif
  }

  // MARK: Connecting and accepting

  /// Begins to connect; returns the `errno` of an immediate failure, otherwise 0.
  func beginConnecting(to address: SocketAddress) -> Int32 {
    if address.withPointer({ connect(descriptor, $0, $1) }) == 0 { return 0 }
    // A non-blocking connect continues in the background, interrupted or not.
    return errno == EINPROGRESS || errno == EINTR ? 0 : errno
  }

  /// The pending error by which the system reports a reset behind the peer's FIN.
  static let resetBehindEnd = EPIPE

  /// Takes the pending error; 0 for none.
  ///
  /// The system reports each error once.
  func takeError() -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  /// Opens a socket with `SO_REUSEADDR` that listens; `reusesPort` sets `SO_REUSEPORT` for others.
  static func listening(
    on address: SocketAddress, backlog: Int, reusesPort: Bool
  ) throws(TransportError) -> Socket {
    let socket = try open(family: address.family)
    guard
      socket.set(SO_REUSEADDR, at: SOL_SOCKET),
      !reusesPort || socket.set(SO_REUSEPORT, at: SOL_SOCKET),
      address.family != AF_INET6 || socket.set(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), to: 0),
      address.withPointer({ bind(socket.descriptor, $0, $1) }) == 0,
      listen(socket.descriptor, Int32(clamping: backlog)) == 0
    else {
      let error = TransportError(
        errno: errno, operation: "listen", address: address.description)
      socket.close()
      throw error
    }
    return socket
  }

  /// Stops listening: the system resets connections that were not accepted.
  func stopListening() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Accepts the next connection; fails with `EAGAIN` when there is none.
  func accept() throws(TransportError) -> Socket {
    while true {
      #if canImport(Glibc)
      let accepted = csystem_accept(descriptor)
      if accepted >= 0 { return Socket(descriptor: accepted) }
      #else
      let accepted = Darwin.accept(descriptor, nil, nil)
      if accepted >= 0 { return try Socket(descriptor: accepted).madeNonBlocking() }
      #endif
      // The peer closed this connection before it was accepted: try the next one.
      guard errno == EINTR || errno == ECONNABORTED else {
        throw .system(errno: errno, operation: "accept")
      }
    }
  }

  // MARK: Bytes

  enum Transfer {
    case bytes(Int)
    case wouldBlock
    case failed(errno: Int32)
  }

  /// Reads the bytes that have arrived, up to the buffer's size; 0 bytes mean the peer's FIN.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 { return .bytes(count) }
      if errno != EINTR { return Self.failure(errno) }
    }
  }

  /// Writes as many bytes as the system has room for.
  ///
  /// Never raises SIGPIPE.
  func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    while true {
      let count = send(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags)
      if count >= 0 { return .bytes(count) }
      if errno != EINTR { return Self.failure(errno) }
    }
  }

  /// Writes as many of `bytes`, and then of `more`, as the system has room for.
  ///
  /// Never raises SIGPIPE.
  func write(_ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer) -> Transfer {
    // The system only reads the memory.
    var parts = (
      iovec(iov_base: .init(mutating: bytes.baseAddress), iov_len: bytes.count),
      iovec(iov_base: .init(mutating: more.baseAddress), iov_len: more.count)
    )
    return withUnsafeMutableBytes(of: &parts) { parts in
      var message = msghdr()
      message.msg_iov = parts.baseAddress?.assumingMemoryBound(to: iovec.self)
      message.msg_iovlen = 2
      while true {
        let count = sendmsg(descriptor, &message, Self.sendFlags)
        if count >= 0 { return .bytes(count) }
        if errno != EINTR { return Self.failure(errno) }
      }
    }
  }

  private static func failure(_ code: Int32) -> Transfer {
    code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(errno: code)
  }

  /// Sends FIN after the bytes sent so far.
  ///
  /// Its failure is ignored: the connection has failed then, which the poller reports.
  func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// The peer's acknowledgements; nil where the system does not report them (Apple platforms).
  var acknowledgement: Acknowledgement? {
    #if canImport(Glibc)
    var status = csystem_tcp_status()
    guard csystem_read_tcp_status(descriptor, &status) == 0 else { return nil }
    return Acknowledgement(
      outstanding: Int(status.outstanding),
      age: .milliseconds(Int64(status.milliseconds_since_acknowledgement)),
      // With a zero window the peer owes answers to probes only, and one or two may be lost.
      isDue: status.segments_in_flight > 0 || status.unanswered_probes > 2
    )
    #else
    return nil
    #endif
  }

  // MARK: Options and addresses

  /// Sends small messages at once, without waiting for an acknowledgement.
  func disableNagle() { _ = set(TCP_NODELAY, at: Int32(IPPROTO_TCP)) }

  private func set(_ option: Int32, at level: Int32, to value: Int32 = 1) -> Bool {
    var value = value
    let length = socklen_t(MemoryLayout<Int32>.size)
    return setsockopt(descriptor, level, option, &value, length) == 0
  }

  var localAddress: SocketAddress? { SocketAddress { getsockname(descriptor, $0, $1) } }
  var remoteAddress: SocketAddress? { SocketAddress { getpeername(descriptor, $0, $1) } }

  /// Whether the socket is connected to itself.
  ///
  /// TCP allows this when a socket connects to a port of its own machine that has no listener, and
  /// the system chooses the same port as the local one.
  var isConnectedToItself: Bool {
    guard let localAddress, let remoteAddress else { return false }
    return localAddress.description == remoteAddress.description
  }
}
