import Reactive

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Listens on one address, and hands over the connections that come in.
package final class TCPListener: EventHandler, @unchecked Sendable {
  package typealias Accept = @Sendable (TCPTransport) -> Void
  /// Takes over an accepted socket: closes it, or makes a transport of it.
  typealias AcceptSocket = @Sendable (Socket) -> Void
  /// Told why nothing can be accepted for now.
  typealias NoteShortage = @Sendable (TransportError) -> Void

  private enum Phase {
    case idle
    case listening(EventLoop.Registration, AcceptSocket, NoteShortage)
    case closed
  }

  package let loop: EventLoop

  /// Where it listens: the system's choice when 0 was asked for.
  package let port: UInt16
  private let socket: Socket

  // Touched on the loop's thread only.
  private var phase = Phase.idle
  /// Whether the socket is there, which is not closed while it is looked at.
  private let isOpen = Locked(true)

  /// So that a crowd at the door does not keep the connections inside waiting.
  private static let acceptsPerTurn = 64

  /// How long nothing is accepted when the process has run out of descriptors or memory.
  private static let shortagePause = Duration.milliseconds(100)

  /// Binds and listens: from now on peers can connect, and wait until `start` for an answer.
  ///
  /// - Parameters:
  ///   - host: a literal address; a name works and may take time; empty for every address of IPv6 and IPv4.
  ///   - port: 0 for any free one.
  ///   - backlog: how many may wait to be accepted.
  ///   - reusesPort: whether other sockets of this user that say the same may listen on the port too.
  package init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    backlog: Int = 1_024,
    reusesPort: Bool = false,
    loop: EventLoop = .shared
  ) throws(TransportError) {
    self.loop = loop
    let addresses = try SocketAddress.find(host, port: port, .listening)
    // Who listens on all addresses of IPv6 is reached by IPv4 too.
    let six = host.isEmpty ? addresses.filter { $0.family == AF_INET6 } : []
    socket = try Self.bound(
      six + addresses,
      backlog: backlog,
      reusesPort: reusesPort
    )
    self.port = socket.localAddress?.port ?? port
  }

  private static func bound(
    _ addresses: [SocketAddress],
    backlog: Int,
    reusesPort: Bool
  ) throws(TransportError) -> Socket {
    var last = TransportError.system(errno: EADDRNOTAVAIL, operation: "listen")
    for address in addresses {
      do throws(TransportError) {
        let socket = try Socket.open(family: address.family)
        do throws(TransportError) {
          try socket.listen(on: address, backlog: backlog, reusesPort: reusesPort)
          return socket
        } catch {
          socket.close()
          throw error
        }
      } catch {
        // Only where the machine lacks it does another address do as well: without IPv6, say.
        guard case .system(let code, _) = error, [EAFNOSUPPORT, EADDRNOTAVAIL].contains(code) else {
          throw error
        }
        last = error
      }
    }
    throw last
  }

  deinit {
    if case .idle = phase { closeSocket() }
  }

  /// Calls `accept` on the loop with each connection, which is then to be started; dropping it
  /// closes it.
  ///
  /// Called once; the loop keeps the listener alive until ``close()``.
  package func start(_ accept: @escaping Accept) {
    startAccepting { [loop] socket in
      accept(TCPTransport(accepted: socket.descriptor, loop: loop))
    }
  }

  /// Calls `accept` on the loop with the socket of each connection, and `noteShortage` with the error that keeps it from
  /// accepting: each time that it tries, ten times a second.
  ///
  /// Called once; the loop keeps the listener alive until ``close()``.
  func startAccepting(
    noteShortage: @escaping NoteShortage = { _ in }, _ accept: @escaping AcceptSocket
  ) {
    loop.execute {
      guard case .idle = self.phase else { return }
      do throws(TransportError) {
        let registration = try self.loop.register(self.socket.descriptor, .readable, self)
        self.phase = .listening(registration, accept, noteShortage)
      } catch {
        // Out of memory in the kernel: once more, later.
        noteShortage(error)
        self.loop.schedule(after: Self.shortagePause) {
          self.startAccepting(noteShortage: noteShortage, accept)
        }
      }
    }
  }

  /// Stops listening: another one may listen on the port when it returns.
  ///
  /// The descriptor goes as soon as the loop gets to it. Idempotent.
  package func close() {
    isOpen.withLock { if $0 { socket.stopListening() } }
    loop.execute { self.finish() }
  }

  private func closeSocket() {
    isOpen.withLock { isOpen in
      if isOpen { socket.close() }
      isOpen = false
    }
  }

  package func loopStopped() { finish() }

  private func finish() {
    switch phase {
    case .closed: return
    case .idle: break
    case .listening(let registration, _, _): loop.deregister(registration)
    }
    phase = .closed
    closeSocket()
  }

  // Level-triggered: what is left over comes back in the next turn.
  package func ready(_ events: ReadyEvents) {
    for _ in 0..<Self.acceptsPerTurn {
      // `accept` may have closed us.
      guard case .listening(let registration, let accept, let noteShortage) = phase else { return }
      switch socket.accept() {
      case .success(let accepted): accept(accepted)
      case .failure(.system(errno: EAGAIN, _)), .failure(.system(errno: EWOULDBLOCK, _)):
        return
      // It listens no more.
      case .failure(.system(errno: EINVAL, _)): return finish()
      case .failure(let error):
        noteShortage(error)
        return pause(registration)
      }
    }
  }

  /// The connection that cannot be accepted stays at the door and would be reported in every turn.
  private func pause(_ registration: EventLoop.Registration) {
    // Changing a registration that exists does not fail.
    try? loop.modify(registration, [])
    loop.schedule(after: Self.shortagePause) {
      try? self.loop.modify(registration, .readable)
    }
  }
}
