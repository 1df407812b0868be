import Foundation
import Sockets

/// A server that echoes its messages, or sends each one to all clients, in a process of its own.
///
///     echo-server [broadcast] [identity directory]
///
/// It prints its port, and serves until its standard input ends.
@main
struct EchoServer {
  static func main() throws {
    let server = try WebSocketServer()
    let bag = DisposeBag()
    let isBroadcasting = CommandLine.arguments.contains("broadcast")
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
