import Foundation
import SocketsRedis

/// The figures of one way.
final class Measurement {
  private let way: Way
  private let sockets: Int
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private let bag = DisposeBag()

  private static let payload = Data(repeating: 0x61, count: 120)

  init(_ way: Way, sockets: Int) { (self.way, self.sockets) = (way, sockets) }

  var line: String {
    get throws {
      let alone = try measureAlone()
      let topic = way.receiver.topic("room")
      way.receiver.connections.subscribe(onNext: { topic.subscribe($0) }).disposed(by: bag)
      try startClients()
      try wait(way.publisher.topic("room").presence.filter { [sockets] in $0 == sockets })
      // Warm.
      _ = try publish(50, every: 0.002)
      let (p50, p99) = try publish(200, every: 0.02)
      let count = 500
      let start = DispatchTime.now().uptimeNanoseconds
      _ = try publish(count, every: nil)
      let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
      kill(process.processIdentifier, SIGKILL)
      let rate = Double(count) / seconds
      return row(rate, rate * Double(sockets), p50, p99, alone)
    }
  }

  private func row(
    _ rate: Double, _ deliveries: Double, _ p50: Double, _ p99: Double, _ alone: Double
  ) -> String {
    way.name.padding(toLength: 14, withPad: " ", startingAt: 0)
      + String(format: "%12.0f %14.0f %8.2f %8.2f %12.0f", rate, deliveries, p50, p99, alone)
  }

  /// Messages a second to one observer, without a socket.
  private func measureAlone() throws -> Double {
    let count = 50_000
    let (from, to) = (way.publisher.topic("alone"), way.receiver.topic("alone"))
    let state = NSCondition()
    nonisolated(unsafe) var received = 0
    let observation = to.messages.subscribe(onNext: { _ in
      state.withLock {
        received += 1
        state.signal()
      }
    })
    defer { observation.dispose() }
    // Until it is subscribed.
    while state.withLock({ received }) == 0 {
      from.publish(.binary(Self.payload))
      usleep(10_000)
    }
    usleep(100_000)
    state.withLock { received = 0 }
    let start = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<count { from.publish(.binary(Self.payload)) }
    state.withLock { while received < count { state.wait() } }
    return Double(count) / (Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9)
  }

  private func startClients() throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = ["--clients", way.receiver.url, "\(sockets)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  /// Publishes messages, and returns the latencies of their arrivals in milliseconds.
  private func publish(_ count: Int, every interval: Double?) throws -> (p50: Double, p99: Double) {
    let topic = way.publisher.topic("room")
    for _ in 0..<count {
      var message = withUnsafeBytes(of: DispatchTime.now().uptimeNanoseconds.bigEndian) { Data($0) }
      message += Self.payload
      topic.publish(.binary(message), limit: .max)
      if let interval { usleep(UInt32(interval * 1e6)) }
    }
    try input.fileHandleForWriting.write(contentsOf: Data("expect \(count)\n".utf8))
    let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let words = answer.split { $0 == " " || $0 == "\n" }
    guard words.count == 3, let p50 = Double(words[1]), let p99 = Double(words[2]) else {
      throw POSIXError(.EPIPE)
    }
    return (p50 / 1e6, p99 / 1e6)
  }

  private func wait(_ observable: Observable<Int>) throws {
    let semaphore = DispatchSemaphore(value: 0)
    let observation = observable.take(1).subscribe(onNext: { _ in semaphore.signal() })
    defer { observation.dispose() }
    guard semaphore.wait(timeout: .now() + 30) == .success else { throw POSIXError(.ETIMEDOUT) }
  }
}
