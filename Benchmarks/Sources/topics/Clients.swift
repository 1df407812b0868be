import Foundation
import SocketsRedis

/// Many clients of one server, in a process of their own.
///
/// Each message begins with the time at which it was published. For each line `expect N` of the
/// input, this prints a line with latencies when all clients have received N messages more.
final class Clients: Sendable {
  private struct State {
    var openCount = 0
    var receivedCount = 0
    var latencies: [UInt64] = []
  }

  private let condition = NSCondition()
  // Protected by `condition`.
  private nonisolated(unsafe) var state = State()
  private let sockets: [WebSocket]
  private let bag = DisposeBag()

  init(_ url: String, _ count: Int) { sockets = (0..<count).map { _ in WebSocket(url) } }

  func run() throws {
    for (index, socket) in sockets.enumerated() {
      socket.events.subscribe(onNext: { [self] event in
        switch event {
        case .connected: change { $0.openCount += 1 }
        case .message(let message): received(message.data)
        case .disconnected, .error: break
        }
      }).disposed(by: bag)
      socket.connect()
      if index % 100 == 99 { wait { $0.openCount > index } }
    }
    while let line = readLine() {
      let count = Int(line.split(separator: " ").last ?? "") ?? 0
      wait { [sockets] in $0.receivedCount == count * sockets.count }
      var latencies: [UInt64] = []
      change { state in
        swap(&latencies, &state.latencies)
        state.receivedCount = 0
      }
      latencies.sort()
      let shares = [50, 99].map { latencies[latencies.count * $0 / 100] }
      print("received \(shares[0]) \(shares[1])")
      fflush(nil)
    }
  }

  private func received(_ bytes: Data) {
    let sent = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    let latency = DispatchTime.now().uptimeNanoseconds - sent
    change { state in
      state.receivedCount += 1
      state.latencies.append(latency)
    }
  }

  private func change(_ body: (inout State) -> Void) {
    condition.withLock {
      body(&state)
      condition.signal()
    }
  }

  private func wait(_ isReached: (State) -> Bool) {
    condition.withLock { while !isReached(state) { condition.wait() } }
  }
}
