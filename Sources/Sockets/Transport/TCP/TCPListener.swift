#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Listens on one address and accepts connections.
package final class TCPListener: Listener, EventHandler, @unchecked Sendable {
  /// Receives an accepted socket and owns it: closes it, or makes a transport of it.
  typealias Accept = @Sendable (Socket) -> Void
  /// Receives the error that prevents accepting for now.
  typealias NoteShortage = @Sendable (TransportError) -> Void

  private enum Phase {
    case idle
    case listening(EventLoop.Registration, Accept, NoteShortage)
    case closed
  }

  package let loop: EventLoop

  /// The port it listens on; chosen by the system if 0 was requested.
  package let port: UInt16
  private let socket: Socket

  // Touched on the loop's thread only.
  private var phase = Phase.idle
  /// Whether the socket is open; the lock keeps it open while another thread shuts it down.
  private let isOpen = Locked(true)

  /// How many connections one turn accepts, so that a burst does not delay open connections.
  private static let acceptsPerTurn = 64

  /// The pause after the process has run out of descriptors or memory.
  private static let shortagePause = Duration.milliseconds(100)

  /// Binds and listens: peers can connect from now on, and wait until `start` accepts them.
  ///
  /// - Parameters:
  ///   - host: literal address, or a name, whose look-up may block; empty for all addresses of IPv6
  ///     and IPv4
  ///   - port: 0 for any free port
  ///   - backlog: most connections that wait to be accepted
  ///   - reusesPort: whether other sockets of this user with the same option may share the port
  package init(
    host: String = "127.0.0.1",
    port: UInt16 = 0,
    backlog: Int = 1_024,
    reusesPort: Bool = false,
    loop: EventLoop = .shared
  ) throws(TransportError) {
    self.loop = loop
    let addresses = try SocketAddress.find(host, port: port, .listening)
    // A socket for all IPv6 addresses also accepts IPv4.
    let six = host.isEmpty ? addresses.filter { $0.family == AF_INET6 } : []
    socket = try Self.bound(six + addresses, backlog: backlog, reusesPort: reusesPort)
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
        return try Socket.listening(on: address, backlog: backlog, reusesPort: reusesPort)
      } catch {
        // Only when the machine lacks this kind of address, as without IPv6, is the next one tried.
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

  package func listen(
    noteShortage: @escaping @Sendable (TransportError) -> Void,
    accepting accept: @escaping @Sendable (any AcceptedConnection) -> Void
  ) { start(noteShortage: noteShortage) { accept($0) } }

  /// Calls `accept` on the loop with the socket of each connection.
  ///
  /// While accepting fails, `noteShortage` receives the error of each attempt, ten times a second.
  /// Call it once; the loop retains the listener until ``close()``.
  func start(noteShortage: @escaping NoteShortage = { _ in }, _ accept: @escaping Accept) {
    loop.execute {
      guard case .idle = self.phase else { return }
      do throws(TransportError) {
        let registration = try self.loop.register(self.socket.descriptor, .readable, self)
        self.phase = .listening(registration, accept, noteShortage)
      } catch {
        // The kernel is out of memory.
        self.pause(error, noteShortage, accept)
      }
    }
  }

  /// Stops listening: another listener may use the port when this returns.
  ///
  /// The loop closes the descriptor later. Idempotent.
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

  // Level-triggered: connections beyond the limit are reported again in the next turn.
  package func ready(_ events: ReadyEvents) {
    for _ in 0..<Self.acceptsPerTurn {
      // `accept` may have closed this listener.
      guard case .listening(let registration, let accept, let noteShortage) = phase else { return }
      do throws(TransportError) {
        accept(try socket.accept())
      } catch .system(errno: EAGAIN, _), .system(errno: EWOULDBLOCK, _) {
        return
      } catch .system(errno: EINVAL, _) {
        // `close` has shut the socket down.
        return finish()
      } catch {
        // The connection stays pending, and every turn would report it.
        loop.deregister(registration)
        phase = .idle
        return pause(error, noteShortage, accept)
      }
    }
  }

  /// Reports the shortage, and starts again later.
  private func pause(
    _ error: TransportError, _ noteShortage: @escaping NoteShortage, _ accept: @escaping Accept
  ) {
    noteShortage(error)
    loop.schedule(after: Self.shortagePause) { self.start(noteShortage: noteShortage, accept) }
  }
}

extension Socket: AcceptedConnection {
  var peer: NetworkAddress? { remoteAddress?.networkAddress }

  func transport(on loop: EventLoop) -> any Transport {
    TCPTransport(accepted: descriptor, loop: loop)
  }
}
