import Foundation
import Sockets

/// The side of this package in tests with other implementations.
///
///     interop-peer serve [PAGE] [CERTIFICATE KEY]
///     interop-peer talk URL [OPTION VALUE ...]
///     interop-peer stay URL COUNT [OPTION VALUE ...]
///
/// `serve` prints its URL. A page's script checks the server in a browser and posts its results, which are
/// printed; it exits with 0 when all checks pass, and with 1 otherwise. Without a page it serves until
/// its input ends.
///
/// `talk` sends messages to a server that echoes at `URL`, pings it and closes, and is closed by the server at `close`
/// beside that URL. It prints each check and exits with 0 when all checks pass; otherwise it prints the error
/// and exits with 1.
///
/// `stay` reconnects when the connection is lost, until `COUNT` connections have returned an echo; it prints
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
