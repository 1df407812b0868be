/// A simulated machine with a network, in place of the process's event loops and of the system's sockets.
struct SocketHost {
  private let system: HostSystem
  private let network: any HostNetwork

  /// The host whose code runs on this thread; nil for the real machine.
  static var current: SocketHost? {
    guard let system = HostSystem.current, let network = system.services as? any HostNetwork else {
      return nil
    }
    return SocketHost(system: system, network: network)
  }

  /// The event loop of this host's process.
  var loop: EventLoop { network.loop }

  /// The TLS of this host, in place of that of a configuration.
  var tls: any TLSProvider { network.tls }

  /// A transport that `start` connects to a port of another host, or of this one.
  func transport(to host: String, port: UInt16) -> any Transport {
    network.transport(to: host, port: port)
  }

  /// A listener on an address of this host; on all of them for an empty one.
  func listener(on address: String, port: UInt16) throws(TransportError) -> any Listener {
    try network.listener(on: address, port: port)
  }

  /// Fills `memory` with numbers of the simulation.
  func fill(_ memory: UnsafeMutableRawBufferPointer) {
    var rest = memory[...]
    while !rest.isEmpty {
      let count = min(8, rest.count)
      withUnsafeBytes(of: system.random().littleEndian) { bytes in
        UnsafeMutableRawBufferPointer(rebasing: rest.prefix(count)).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes.prefix(count)))
      }
      rest = rest.dropFirst(count)
    }
  }
}

/// The network of a simulated host.
package protocol HostNetwork: AnyObject {
  var loop: EventLoop { get }
  var tls: any TLSProvider { get }
  func transport(to host: String, port: UInt16) -> any Transport
  func listener(on address: String, port: UInt16) throws(TransportError) -> any Listener
}

/// Accepts connections on a port.
package protocol Listener: AnyObject, Sendable {
  /// The port it listens on.
  var port: UInt16 { get }

  /// Calls `accept` on its loop with each connection; call it once.
  ///
  /// While accepting fails, `noteShortage` receives the error of each attempt.
  func listen(
    noteShortage: @escaping @Sendable (TransportError) -> Void,
    accepting accept: @escaping @Sendable (any AcceptedConnection) -> Void)

  /// Stops listening. Idempotent.
  func close()
}

/// A connection that a listener has accepted, whose owner closes it or makes a transport of it.
package protocol AcceptedConnection: Sendable {
  var peer: NetworkAddress? { get }

  func transport(on loop: EventLoop) -> any Transport

  func close()
}

/// Calls a simulated event loop where a thread would.
package protocol LoopHost: AnyObject, Sendable {
  /// The time in nanoseconds since a fixed moment.
  var uptime: UInt64 { get }

  /// Whether code of the host calls; otherwise `use` of the loop is reported to the simulation.
  func admits(_ use: String) -> Bool

  /// Arranges for a turn of the loop, which has slept.
  func wakeLoop()
}
