import CReactiveSystem
import Foundation
import Glibc
import Sockets

/// A server and many clients in two processes, so that each has its own limit of
/// open files and its own memory to measure.
///
///     crowd serve
///     crowd drive URL [--connections 10000] [--churn 10000] [--gate BYTES] [--deflate 1]
///     crowd cluster --redis URL [--connections 100000] [--servers 8] [--clients 8] [--seconds 60]
///         [--report FILE]
///
/// The server prints its URL and serves until the driver shuts it down. The driver prints its
/// results, and fails for an unexpected result; it takes two minutes at most. A cluster is several
/// processes of both kinds, started and led by one more.
@main
enum Crowd {
  static func main() async {
    raiseFileLimit()
    let words = Array(CommandLine.arguments.dropFirst())
    do {
      switch words.first {
      case "serve" where words.count == 1: try await Server().run()
      case "drive" where words.count > 1:
        try await Driver(words[1], Options(words.dropFirst(2))).run()
      case "cluster":
        var cluster = Cluster(try ClusterOptions(words.dropFirst()))
        try cluster.run()
      case "cluster-server" where words.count == 3:
        try await ClusterServer(port: UInt16(words[1]) ?? 0, redis: words[2]).run()
      case "cluster-clients" where words.count == 3:
        try await ClusterClients(from: words[1], to: UInt16(words[2]) ?? 0).run()
      default: throw Problem("usage: crowd serve | drive URL | cluster --redis URL [OPTION VALUE]")
      }
    } catch {
      FileHandle.standardError.write(Data("crowd: \(error)\n".utf8))
      exit(1)
    }
  }

  /// The limit of open files: one for each connection, and a reserve.
  private static func raiseFileLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Prints without a buffer, unlike `print` to a pipe.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// The used bytes of the heap.
  static var heap: Int { Int(csystem_heap_in_use()) }
}

/// A failure with a description.
struct Problem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The numbers of a run.
struct Options {
  var connections = 10_000
  var churn = 10_000
  /// The maximum number of bytes of an idle connection on the server's side.
  var gate = Int.max
  /// Whether the clients offer compression.
  var offersDeflate = false

  init(_ words: some Sequence<String>) throws {
    var words = words.makeIterator()
    while let name = words.next() {
      guard let number = words.next().flatMap({ Int($0) }) else {
        throw Problem("\(name) needs a number")
      }
      switch name {
      case "--connections": connections = number
      case "--churn": churn = number
      case "--gate": gate = number
      case "--deflate": offersDeflate = number != 0
      default: throw Problem("\(name) is not known")
      }
    }
  }
}
