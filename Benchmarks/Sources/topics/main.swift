// How fast a topic reaches 1,000 sockets: within one server, through memory from another server, and through
// Redis. The sockets are in a process of their own; on a small machine it takes half of the time.
//
//   swift run -c release --package-path Benchmarks topics --redis redis://localhost:6379 [--sockets 1000]

import Foundation
import SocketsRedis

/// A way from the server that publishes to the server with the sockets.
struct Way {
  let name: String
  let publisher: WebSocketServer
  let receiver: WebSocketServer

  static func all(_ redis: String?) throws -> [Way] {
    var admission = WebSocketAdmission()
    admission.connectionLimit = .max
    func server(_ backplane: (any Backplane)? = nil) throws -> WebSocketServer {
      try WebSocketServer(admission: admission, backplane: backplane)
    }
    let one = try server()
    let memory = InMemoryBackplane()
    var ways = [
      Way(name: "one server", publisher: one, receiver: one),
      Way(name: "in memory", publisher: try server(memory), receiver: try server(memory)),
    ]
    guard let redis else { return ways }
    for (name, delivery) in [
      ("Redis", RedisDelivery.publishSubscribe), ("Redis stream", .stream()),
    ] {
      var configuration = RedisConfiguration()
      configuration.delivery = delivery
      configuration.queueLimit = 1 << 30
      let backplane = try RedisBackplane(redis, configuration: configuration)
      ways.append(
        Way(name: name, publisher: try server(backplane), receiver: try server(backplane)))
    }
    return ways
  }
}

let arguments = CommandLine.arguments
func argument(_ name: String) -> String? {
  arguments.firstIndex(of: name).flatMap { arguments.dropFirst($0 + 1).first }
}

var limit = rlimit()
getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
limit.rlim_cur = limit.rlim_max
setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)

if let url = argument("--clients") {
  try Clients(url, Int(arguments.last ?? "") ?? 0).run()
} else {
  let sockets = argument("--sockets").flatMap { Int($0) } ?? 1_000
  print("\(sockets) sockets, messages of 128 bytes; latency from publish to each socket, unloaded")
  print("way             messages/s   deliveries/s   p50 ms   p99 ms   without sockets, messages/s")
  for way in try Way.all(argument("--redis")) {
    print(try Measurement(way, sockets: sockets).line)
  }
}
