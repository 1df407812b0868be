import Foundation
import Sockets

/// A server that echoes its messages, or sends each one to all clients, in a process of its own.
///
///     echo-server [broadcast] [deflate] [DIRECTORY]
///
/// With `deflate` it compresses messages for clients that offer it. With a directory it serves TLS with
/// the `certificate.pem` and the `key.pem` in it. It prints its port, and serves until its standard input
/// ends.
@main
struct EchoServer {
  static func main() throws {
    let words = CommandLine.arguments.dropFirst()
    let isBroadcasting = words.contains("broadcast")
    var configuration = WebSocketConfiguration()
    if words.contains("deflate") { configuration.compression = .deflate() }
    let directory = words.first { !["broadcast", "deflate"].contains($0) }
    let identity = try directory.map {
      TLSIdentity(
        certificateChain: try PEM(contentsOfFile: "\($0)/certificate.pem"),
        privateKey: try PEM(contentsOfFile: "\($0)/key.pem"))
    }
    let server = try WebSocketServer(
      tls: identity.map { TLSServerConfiguration(identity: $0) }, configuration: configuration)
    let bag = DisposeBag()
    // The subscriptions end with their connections.
    server.connections
      .subscribe(onNext: { socket in
        _ = socket.messages.subscribe(onNext: { [unowned socket] message in
          if isBroadcasting { server.broadcast(message) } else { try? socket.send(message) }
        })
      })
      .disposed(by: bag)
    print(server.port)
    fflush(nil)
    while readLine() != nil {}
    withExtendedLifetime(bag) {}
  }
}
