import Dispatch
import Reactive
import Sockets

/// A client that awaits its messages in a task on the global executor.
@MainActor
final class AwaitedEcho {
  private let server = EchoServer()
  private let client: WebSocket
  private let exchange: Exchange
  private let messages: [WebSocketMessage]
  private let log: LatencyLog?

  /// Returns once it is connected.
  init(_ exchange: Exchange, _ log: LatencyLog?) {
    (self.exchange, self.log) = (exchange, log)
    messages = exchange.messages()
    client = .connected(to: server.url)
  }

  /// Sends that many messages, each after the echo of the previous one, and returns the received bytes.
  func run(_ count: Int) -> Int {
    guard count > 0 else { return 0 }
    let (client, messages, log) = (client, messages, log)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      var received = 0
      let echoes = client.messages.values
      log?.begin(count)
      client.deliver(messages[0])
      do {
        for try await message in echoes {
          log?.lap()
          require(message == messages[received % messages.count], "Not what was sent.")
          received += 1
          if received == count { break }
          client.deliver(messages[received % messages.count])
        }
      } catch { fatalError("The connection failed: \(error)") }
      done.signal()
    }
    done.waitOrStop("Messages are missing.")
    return count * exchange.bytes
  }
}
