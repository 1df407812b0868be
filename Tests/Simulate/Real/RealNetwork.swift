import Foundation

/// The two networks of a ``RealWorld``, which a script has made and breaks.
struct RealNetwork: Sendable {
  /// What happens to the link between the networks.
  enum Fault: String, CaseIterable {
    /// It is down, and both sides know.
    case cut
    /// It carries nothing, and the clients do not know.
    case silence
    /// The connections of the servers are reset.
    case reset

    /// Whether it holds until the link is healed.
    var lasts: Bool { self != .reset }
  }

  /// The machines in the network of the servers.
  static let servers: Set = ["server", "board"]

  /// The script: it is called with a fault, or with `heal`.
  let script: String
  /// The file of the network of the servers, such as `/proc/7/ns/net`.
  let serversFile: String

  func begin(_ fault: Fault) async throws { try await call(fault.rawValue) }

  func heal() async throws { try await call("heal") }

  private func call(_ word: String) async throws {
    let process = Process()
    process.executableURL = URL(filePath: script)
    process.arguments = [word]
    try await withCheckedThrowingContinuation { (end: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { ended in
        if ended.terminationStatus == 0 {
          end.resume()
        } else {
          end.resume(throwing: Failure("\(script) \(word): status \(ended.terminationStatus)"))
        }
      }
      do { try process.run() } catch { end.resume(throwing: error) }
    }
  }

  /// Runs `body` in the network of the servers: the sockets that it opens belong there.
  ///
  /// Threads that it starts do, too. So the event loop, which clients share, runs before.
  func amongServers<Result>(_ body: () throws -> Result) throws -> Result {
    let (own, servers) = (open("/proc/thread-self/ns/net", O_RDONLY), open(serversFile, O_RDONLY))
    defer {
      close(own)
      close(servers)
    }
    guard own >= 0, servers >= 0, enter(servers) else {
      throw Failure("\(serversFile) cannot be entered: error \(errno)")
    }
    defer {
      guard enter(own) else {
        preconditionFailure("The network of the clients cannot be entered again.")
      }
    }
    return try body()
  }

  /// Moves this thread to a network (`setns`, which the module of the C library does not have).
  private func enter(_ network: Int32) -> Bool {
    typealias Enter = @convention(c) (_ file: Int32, _ kind: Int32) -> Int32
    guard let address = dlsym(dlopen(nil, RTLD_NOW), "setns") else { return false }
    // CLONE_NEWNET
    return unsafeBitCast(address, to: Enter.self)(network, 0x4000_0000) == 0
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}
