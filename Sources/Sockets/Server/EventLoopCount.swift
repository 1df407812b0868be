import Reactive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How many event loops share the connections of a server, each of them a thread.
public struct EventLoopCount: Hashable, Sendable, ExpressibleByIntegerLiteral {
  let value: Int

  private static let limit = 256

  /// So many, from 1 to 256; another number is taken as the nearest of these.
  public init(_ count: Int) { value = min(max(count, 1), Self.limit) }

  /// So many, from 1 to 256; another number is taken as the nearest of these.
  public init(integerLiteral count: Int) { self.init(count) }

  /// One for each processor that this process may run on.
  ///
  /// A share of the processors' time, such as a container's `cpu.max`, is not considered.
  public static var cores: EventLoopCount {
    EventLoopCount(ProcessInfo.processInfo.activeProcessorCount)
  }
}

extension EventLoop {
  private static let more = Locked<[EventLoop]>([])
  private static let acceptor = Locked<EventLoop?>(nil)

  /// The process's first loops: `shared`, and others that are started when so many are first wanted, and never
  /// stopped.
  static func first(_ count: EventLoopCount) throws(TransportError) -> [EventLoop] {
    try more.withLock { more throws(TransportError) in
      while more.count < count.value - 1 {
        more.append(try EventLoop(name: "Sockets \(more.count + 2)"))
      }
      return [.shared] + more.prefix(count.value - 1)
    }
  }

  /// The loop that accepts for those servers whose connections have several: no observer can block it.
  static func accepting() throws(TransportError) -> EventLoop {
    try acceptor.withLock { acceptor throws(TransportError) in
      if let acceptor { return acceptor }
      let made = try EventLoop(name: "Sockets accept")
      acceptor = made
      return made
    }
  }
}
