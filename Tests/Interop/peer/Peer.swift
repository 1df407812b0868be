import Foundation
import Sockets

/// The peer that uses this package in tests of interoperability.
///
///     interop-peer serve [PAGE] [CERTIFICATE KEY]
///     interop-peer talk URL [OPTION VALUE ...]
///     interop-peer stay URL COUNT [OPTION VALUE ...]
///
/// `serve` prints its URL. A page's script checks the server in a browser, and posts its results, which
/// are printed; it exits with 0 when all checks pass, and with 1 otherwise. Without a page it serves until
/// its input ends.
///
/// `talk` sends messages to an echo server at `URL`, pings it and closes; the server at `close`, a path next to that
/// URL, closes by itself. It prints each check and exits with 0 when all pass; otherwise it prints the error
/// and exits with 1.
///
/// `stay` reconnects after each lost connection, until it has received an echo over `COUNT` connections; it prints
/// each echo and each outage.
///
/// | option | value |
/// | --- | --- |
/// | `--proxy` | URL of an HTTP proxy |
/// | `--authority` | file with the certificates that are trusted |
/// | `--address` | client address that the proxy in front of the server sends, and the server must report |
/// | `--close-answer` | code with which the server answers a close frame; that of the frame by default |
@main
enum Peer {
  static func main() async throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let rest = Array(words.dropFirst())
    switch words.first {
    case "serve" where rest.count <= 3: try Host.serve(rest)
    case "talk" where rest.count % 2 == 1:
      await run { try await Guest(rest[0], options: rest.dropFirst()).talk() }
    case "stay" where rest.count >= 2 && rest.count % 2 == 0:
      let count = Int(rest[1]) ?? 1
      await run { try await Guest(rest[0], options: rest.dropFirst(2)).stay(count) }
    default:
      FileHandle.standardError.write(
        Data(
          """
          usage: interop-peer serve [PAGE] [CERTIFICATE KEY]
                 interop-peer talk URL [OPTION VALUE ...]
                 interop-peer stay URL COUNT [OPTION VALUE ...]

          """.utf8))
      exit(2)
    }
  }

  private static func run(_ body: @Sendable () async throws -> Void) async {
    do {
      try await body()
    } catch {
      print("FAILED: \(error)")
      exit(1)
    }
  }

  /// Prints a line at once, also into a file.
  static func print(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }
}

/// A failed check.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
