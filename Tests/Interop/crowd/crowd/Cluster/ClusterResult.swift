import Foundation

/// The figures of a run; all bytes and microseconds are whole numbers.
struct ClusterResult: Codable {
  var connections: Int
  var serverProcesses: Int
  var clientProcesses: Int
  var seconds: Int
  /// The load average of a minute before the run.
  var loadBefore = 0.0

  var connectSeconds = 0.0
  var connectServerCPU = 0.0
  /// The connections of each server.
  var ofEachServer: [Int] = []

  /// The connections that are open after the time.
  var heldOpen = 0
  var heldServerCPU = 0.0
  var heldClientCPU = 0.0

  /// The resident bytes of a server before the connections.
  var residentOfServer = 0
  /// The resident bytes of a connection in the server, and in the client.
  var serverResident = 0
  var clientResident = 0
  var serverHeap = 0
  var clientHeap = 0
  /// The bytes of a connection in the caches of the kernel, for both ends.
  var kernelCaches: [String: Int] = [:]
  /// The bytes of all socket buffers after the time, and right after the broadcast.
  var buffersHeld = 0
  var buffersAfterBroadcast = 0

  /// The duration of the call in the publishing process.
  var publishMicroseconds = 0
  var broadcastServerCPU = 0.0
  /// From the call to the receipt by the median client, by 99 % of them, and by the last one.
  var broadcastMedian = 0
  var broadcast99th = 0
  var broadcastLast = 0
  var missed = 0
  var receivedOnce = 0
  var receivedAgain = 0

  var closeSeconds = 0.0
  var dropped = 0

  init(connections: Int, _ options: ClusterOptions) {
    self.connections = connections
    serverProcesses = options.servers
    clientProcesses = options.clients
    seconds = options.seconds
  }

  mutating func note(_ held: Snapshot, since before: Snapshot) {
    serverResident = (held.servers.resident - before.servers.resident) / connections
    clientResident = (held.clients.resident - before.clients.resident) / connections
    serverHeap = (held.servers.heap - before.servers.heap) / connections
    clientHeap = (held.clients.heap - before.clients.heap) / connections
    for (name, bytes) in held.kernel.caches {
      let growth = (bytes - before.kernel.caches[name, default: 0]) / connections
      if growth > 0 { kernelCaches[name] = growth }
    }
    buffersHeld = held.kernel.socketBuffers
  }

  mutating func note(latencies: [Int]) {
    let sorted = latencies.sorted()
    guard let last = sorted.last else { return }
    broadcastMedian = sorted[sorted.count / 2]
    broadcast99th = sorted[sorted.count * 99 / 100]
    broadcastLast = last
  }

  /// One line with all figures.
  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  /// Throws unless each connection was held, got the message once, and ended in order.
  func check() throws {
    guard ofEachServer.reduce(0, +) == connections, heldOpen == connections else {
      throw Problem("\(heldOpen) of \(connections) connections were held")
    }
    guard receivedOnce == connections, missed == 0, receivedAgain == 0 else {
      throw Problem("\(missed) missed the message, \(receivedAgain) received it again")
    }
    guard dropped == 0 else { throw Problem("\(dropped) connections did not close in time") }
  }
}
