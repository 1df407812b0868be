#if canImport(Glibc)
import Foundation
import Glibc

/// A TCP proxy on this machine that a test can stall and cut.
///
/// One thread of its own forwards the bytes of all connections to a port of this machine, until `close()`.
public final class StallingProxy: Sendable {
  /// The bytes that the proxy forwards.
  public enum Forwarding: Sendable {
    /// The bytes of client and server.
    case all
    /// The bytes of the server; bytes of the client stay in the buffers of the proxy and the system.
    case serverOnly
    /// No bytes.
    case nothing
  }

  /// The connection of a client, and its connection to the server.
  private struct Relay {
    let client: Int32
    let server: Int32
  }

  /// The port that clients connect to.
  public let port: UInt16

  private let listener: Int32
  private let serverPort: UInt16
  private let wakeReader: Int32
  private let wakeWriter: Int32
  private let orders = Orders()

  /// Starts forwarding.
  ///
  /// - Parameters:
  ///   - serverPort: port of the server on this machine
  ///   - receiveBuffer: size of the system's receive buffer, in bytes
  public init(to serverPort: UInt16, receiveBuffer: Int32 = 64 << 10) throws {
    self.serverPort = serverPort
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    // Accepted sockets inherit the size, which must be set before the window is negotiated.
    var size = receiveBuffer
    let length = socklen_t(MemoryLayout<Int32>.size)
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &size, length)
    var address = Self.loopback(port: 0)
    var addressLength = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, addressLength) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &addressLength) == 0
      }
    }
    guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    port = UInt16(bigEndian: address.sin_port)
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    (wakeReader, wakeWriter) = (ends[0], ends[1])
    Thread { self.run() }.start()
  }

  /// Forwards only these bytes from its return on.
  public func forward(_ forwarding: Forwarding) { order { $0.forwarding = forwarding } }

  /// Resets all connections; bytes that were not forwarded are lost.
  public func cut() { order { $0.isCut = true } }

  /// Ends the proxy and its connections.
  public func close() { order { $0.isClosed = true } }

  /// Sends a command to the proxy's thread, and waits until it is executed.
  private func order(_ change: (inout Orders.Content) -> Void) {
    orders.give(change) {
      var byte: UInt8 = 0
      _ = write(wakeWriter, &byte, 1)
    }
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    return address
  }

  // MARK: On the thread of the proxy

  private func run() {
    var relays: [Relay] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let orders = orders.take { orders in
        guard orders.isCut || orders.isClosed else { return }
        for relay in relays { reset(relay) }
        relays = []
      }
      if orders.isClosed { break }
      var waits = [pollfd(wakeReader, true), pollfd(listener, true)]
      for relay in relays {
        waits.append(pollfd(relay.client, orders.forwarding == .all))
        waits.append(pollfd(relay.server, orders.forwarding != .nothing))
      }
      guard poll(&waits, nfds_t(waits.count), -1) >= 0 else { continue }
      if waits[0].isReady {
        _ = read(wakeReader, &buffer, buffer.count)
        continue
      }
      var ended: [Int] = []
      for (index, relay) in relays.enumerated() {
        let (client, server) = (waits[2 + 2 * index], waits[3 + 2 * index])
        let isOpen =
          (!client.isReady || move(from: relay.client, to: relay.server, by: &buffer))
          && (!server.isReady || move(from: relay.server, to: relay.client, by: &buffer))
        if !isOpen { ended.append(index) }
      }
      for index in ended.reversed() { reset(relays.remove(at: index)) }
      if waits[1].isReady, let relay = accepted() { relays.append(relay) }
    }
    for descriptor in [listener, wakeReader, wakeWriter] { Glibc.close(descriptor) }
  }

  private func accepted() -> Relay? {
    let client = accept(listener, nil, nil)
    guard client >= 0 else { return nil }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port: serverPort)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    let relay = Relay(client: client, server: server)
    var one: Int32 = 1
    for descriptor in [client, server] {
      setsockopt(
        descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }
    if isConnected { return relay }
    reset(relay)
    return nil
  }

  /// Forwards the readable bytes; returns false when one side has ended.
  private func move(from source: Int32, to target: Int32, by buffer: inout [UInt8]) -> Bool {
    let count = recv(source, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    var sent = 0
    while sent < count {
      let written = buffer.withUnsafeBytes {
        send(target, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
      }
      guard written > 0 else { return false }
      sent += written
    }
    return true
  }

  /// Ends both connections without a FIN.
  private func reset(_ relay: Relay) {
    for descriptor in [relay.client, relay.server] {
      var now = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
      Glibc.close(descriptor)
    }
  }
}

/// The commands that tests send to the proxy's thread.
private final class Orders: @unchecked Sendable {
  struct Content {
    var forwarding = StallingProxy.Forwarding.all
    var isCut = false
    var isClosed = false
  }

  // Protected by `condition`.
  private var content = Content()
  private var given = 0
  private var followed = 0
  private let condition = NSCondition()

  /// Sends a command unless the proxy has ended, and waits until it is executed.
  func give(_ change: (inout Content) -> Void, wake: () -> Void) {
    condition.withLock {
      guard !content.isClosed else { return }
      change(&content)
      given += 1
      let number = given
      wake()
      while followed < number { condition.wait() }
    }
  }

  /// Executes the commands, and returns the current mode.
  func take(_ follow: (Content) -> Void) -> Content {
    condition.withLock {
      follow(content)
      content.isCut = false
      followed = given
      condition.broadcast()
      return content
    }
  }
}

extension pollfd {
  /// Polls `descriptor` for bytes; `poll` ignores a negative descriptor.
  fileprivate init(_ descriptor: Int32, _ isWanted: Bool) {
    self.init(fd: isWanted ? descriptor : -1, events: Int16(POLLIN), revents: 0)
  }

  fileprivate var isReady: Bool { revents != 0 }
}
#endif
