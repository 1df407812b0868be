#if canImport(Glibc)
import CReactiveSystem
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A non-blocking TCP socket: the system calls, without policy.
///
/// Whoever holds it closes it once.
///
/// Calls that a signal interrupted are repeated.
struct Socket: Sendable {
  let descriptor: Int32

  #if canImport(Glibc)
  static let streamType = Int32(SOCK_STREAM.rawValue)
  private static let sendFlags = Int32(MSG_NOSIGNAL)
  #else
  static let streamType = SOCK_STREAM
  private static let sendFlags: Int32 = 0
  #endif

  /// An open socket for addresses of `family`.
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
  /// What Linux does in one step with `SOCK_NONBLOCK`, `SOCK_CLOEXEC` and `MSG_NOSIGNAL`.
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
  /// Not repeated when interrupted: the number may already be another's.
  func close() {
    #if canImport(Glibc)
    Glibc.close(descriptor)
    #else
    Darwin.close(descriptor)
    #endif
  }

  // MARK: Connecting and accepting

  /// Begins to connect; returns the `errno` of a connection that failed at once, otherwise 0.
  func connect(to address: SocketAddress) -> Int32 {
    if address.withPointer({ systemConnect(descriptor, $0, $1) }) == 0 { return 0 }
    // A non-blocking connect goes on by itself, interrupted or not.
    return errno == EINPROGRESS || errno == EINTR ? 0 : errno
  }

  /// The error that is pending, 0 for none; it is reported once.
  func takeError() -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
  }

  /// Binds with `SO_REUSEADDR`, and with `SO_REUSEPORT` when others may listen there too, and listens.
  func listen(
    on address: SocketAddress, backlog: Int, reusesPort: Bool = false
  ) throws(TransportError) {
    guard
      set(SO_REUSEADDR, at: SOL_SOCKET),
      !reusesPort || set(SO_REUSEPORT, at: SOL_SOCKET),
      address.family != AF_INET6 || set(IPV6_V6ONLY, at: Int32(IPPROTO_IPV6), to: 0),
      address.withPointer({ bind(descriptor, $0, $1) }) == 0,
      systemListen(descriptor, Int32(clamping: backlog)) == 0
    else {
      throw TransportError(errno: errno, operation: "listen", address: address.description)
    }
  }

  /// Listens no more: who waits to be accepted is turned away.
  func stopListening() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// The next connection; fails with `EAGAIN` when none waits.
  func accept() -> Result<Socket, TransportError> {
    while true {
      #if canImport(Glibc)
      let accepted = csystem_accept(descriptor)
      if accepted >= 0 { return .success(Socket(descriptor: accepted)) }
      #else
      let accepted = Darwin.accept(descriptor, nil, nil)
      if accepted >= 0 {
        do throws(TransportError) {
          return .success(try Socket(descriptor: accepted).madeNonBlocking())
        } catch {
          return .failure(error)
        }
      }
      #endif
      // A connection that was lost while it waited is no concern of the next one.
      guard errno == EINTR || errno == ECONNABORTED else {
        return .failure(.system(errno: errno, operation: "accept"))
      }
    }
  }

  // MARK: Bytes

  enum Transfer {
    case bytes(Int)
    case wouldBlock
    case failed(errno: Int32)
  }

  /// Receives what is there, at most the buffer; no bytes means that the peer has ended.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count >= 0 { return .bytes(count) }
      if errno != EINTR { return Self.failure(errno) }
    }
  }

  /// Sends what there is room for.
  ///
  /// Never raises SIGPIPE.
  func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
    while true {
      let count = systemSend(descriptor, bytes.baseAddress, bytes.count, Self.sendFlags)
      if count >= 0 { return .bytes(count) }
      if errno != EINTR { return Self.failure(errno) }
    }
  }

  private static func failure(_ code: Int32) -> Transfer {
    code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(errno: code)
  }

  /// Sends FIN after what was sent.
  ///
  /// Fails only when the connection is gone, which is told anyway.
  func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// What the peer has acknowledged; nil where the system does not tell all of it (Apple platforms).
  var acknowledgement: Acknowledgement? {
    #if canImport(Glibc)
    var status = csystem_tcp_status()
    guard csystem_read_tcp_status(descriptor, &status) == 0 else { return nil }
    return Acknowledgement(
      outstanding: Int(status.outstanding),
      age: .milliseconds(Int64(status.milliseconds_since_acknowledgement)),
      // With a window of zero a peer owes nothing but answers to probes, and one or two may be lost.
      isDue: status.segments_in_flight > 0 || status.unanswered_probes > 2
    )
    #else
    return nil
    #endif
  }

  // MARK: Options and addresses

  /// Small messages leave at once instead of waiting for the acknowledgement of the one before.
  func disableNagle() { _ = set(TCP_NODELAY, at: Int32(IPPROTO_TCP)) }

  private func set(_ option: Int32, at level: Int32, to value: Int32 = 1) -> Bool {
    var value = value
    let length = socklen_t(MemoryLayout<Int32>.size)
    return setsockopt(descriptor, level, option, &value, length) == 0
  }

  var localAddress: SocketAddress? { SocketAddress { getsockname(descriptor, $0, $1) } }
  var remoteAddress: SocketAddress? { SocketAddress { getpeername(descriptor, $0, $1) } }

  /// TCP lets a socket that connects to a port of its own machine where nobody listens meet itself,
  /// when it happens to get that port as its own.
  var isConnectedToItself: Bool {
    guard let localAddress, let remoteAddress else { return false }
    return localAddress.description == remoteAddress.description
  }
}

// Inside `Socket` its own methods would hide these.
private func systemConnect(
  _ descriptor: Int32,
  _ address: UnsafePointer<sockaddr>,
  _ length: socklen_t
) -> Int32 { connect(descriptor, address, length) }

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
  listen(descriptor, backlog)
}

private func systemSend(
  _ descriptor: Int32,
  _ bytes: UnsafeRawPointer?,
  _ count: Int,
  _ flags: Int32
) -> Int { send(descriptor, bytes, count, flags) }
