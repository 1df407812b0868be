import Foundation
import Sockets

/// A command of the cluster to one of its processes, and the process's answer: one line of JSON each.
enum ClusterCommand: Codable {
  case status
  /// To a server: waits until that many sockets of all processes are subscribed to the topic.
  case awaitSubscribers(Int)
  /// To a server: publishes a message to all.
  case publish
  /// To a server: closes all connections, evenly over a time.
  case shutDown(overSeconds: Int)
  /// To clients: opens that many connections.
  case connect(Int)
  /// To clients: waits until each has received a message.
  case awaitMessages
  /// To clients: closes that many of the connections.
  case close(Int)
  /// To clients: waits until the server has closed the others.
  case awaitEnd
}

/// The state of a process of the cluster, after a command.
struct ClusterAnswer: Codable {
  var usage = ProcessUsage()
  var port: UInt16 = 0
  /// The open connections.
  var open = 0
  /// Of a publishing server: the duration of the call.
  var microseconds = 0
  /// Of a server that has shut down: the number of dropped connections.
  var dropped = 0
  /// Of clients: how many connections received no message, one, or several, since the connection.
  var missed = 0
  var receivedOnce = 0
  var receivedAgain = 0
  /// Of clients that have awaited messages: the time from `publish` to each receipt.
  var latencies: [Int] = []
  var problem: String?
}

/// One process of the cluster, which executes the commands of its standard input.
protocol ClusterMember: Sendable {
  /// Executes a command, and returns once it is done.
  func execute(_ command: ClusterCommand) async throws -> ClusterAnswer
}

extension ClusterMember {
  /// Answers the commands until the input ends, which happens also when the cluster's process ends.
  func run() async throws {
    let (lines, continuation) = AsyncStream<String>.makeStream()
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    for await line in lines {
      let command = try JSONDecoder().decode(ClusterCommand.self, from: Data(line.utf8))
      var answer = ClusterAnswer()
      do {
        answer = try await execute(command)
      } catch {
        answer.problem = "\(command): \(error)"
      }
      answer.usage = try ProcessUsage.current()
      Crowd.say(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
    }
  }

  /// Waits until the condition is true; throws after two minutes.
  func wait(for what: String, until isSo: @Sendable () throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while try !isSo() {
      guard ContinuousClock.now < deadline else { throw Problem("\(what): not in time") }
      try await Task.sleep(for: .milliseconds(10))
    }
  }
}
