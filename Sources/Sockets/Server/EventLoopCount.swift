#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The number of event loops, each with its own thread, that share a server's connections.
public struct EventLoopCount: Hashable, Sendable, ExpressibleByIntegerLiteral {
  let value: Int

  /// Makes a count from 1 to 256; other numbers are clamped.
  public init(_ count: Int) { value = min(max(count, 1), 256) }

  /// Makes a count from 1 to 256; other numbers are clamped.
  public init(integerLiteral count: Int) { self.init(count) }

  /// One loop for each processor that this process may run on.
  ///
  /// A limit on processor time, such as a container's `cpu.max`, is not considered.
  public static var cores: EventLoopCount {
    EventLoopCount(ProcessInfo.processInfo.activeProcessorCount)
  }
}

extension EventLoop {
  private static let more = Locked<[EventLoop]>([])
  private static let acceptor = Locked<EventLoop?>(nil)

  /// The first `count` loops of the process: `shared`, then others.
  ///
  /// A loop is started when it is first needed, and never stopped. A simulated host has one.
  static func first(_ count: EventLoopCount) throws(TransportError) -> [EventLoop] {
    if let host = SocketHost.current { return [host.loop] }
    return try more.withLock { more throws(TransportError) in
      while more.count < count.value - 1 {
        more.append(try EventLoop(name: "Sockets \(more.count + 2)"))
      }
      return [.shared] + more.prefix(count.value - 1)
    }
  }

  /// The loop that accepts for servers with several loops: no observer runs on it and can block it.
  static func accepting() throws(TransportError) -> EventLoop {
    try acceptor.withLock { acceptor throws(TransportError) in
      if let acceptor { return acceptor }
      let made = try EventLoop(name: "Sockets accept")
      acceptor = made
      return made
    }
  }
}
