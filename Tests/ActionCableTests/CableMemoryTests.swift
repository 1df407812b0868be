#if os(Linux) && !SANITIZED
import TestSupport
import Testing

@testable import ActionCable

/// The memory of a cable, measured in a process of its own: other tests allocate meanwhile.
@Suite("The memory of a cable", .workerPool)
struct CableMemoryTests {
  @Test func `a day of messages, calls and lost connections keeps no memory`() async {
    await #expect(processExitsWith: .success) {
      let identifier = CableIdentifier("Room", ["id": 7])
      let quoted = JSONValue.string(identifier.text).text
      var configuration = CableConfiguration()
      configuration.reconnectJitter = nil
      var machine = CableStateMachine(configuration) { 0.5 }
      let member = machine.channels.add(identifier, .buffer(limit: 10))
      var (now, generation, delivered) = (Duration.zero, 0, 0)
      func perform() {
        let call = CableCall(action: "say", data: ["text": "hello"])
        _ = try? machine.channels.perform(call, member, now)
      }
      func performOutputs() {
        while let output = machine.popOutput() {
          switch output {
          case .open(let number): generation = number
          case .channelEvent(_, .message): delivered += 1
          case .call(let number, _): machine.callSent(number, end: number)
          case .ping(let number): machine.pongReceived(number, generation, now)
          case .close(let ended): _ = machine.reportFailedCalls(ended, written: 0, isFinal: true)
          default: break
          }
        }
      }
      /// A connection that is lost after twenty minutes.
      func connection() {
        while true {
          performOutputs()
          if case .connecting = machine.state { break }
          now = max(now, machine.due ?? now)
          machine.tick(now)
        }
        perform()
        machine.opened(generation, subprotocol: CableConfiguration.subprotocol, now)
        machine.received(#"{"type":"welcome"}"#, generation, now)
        let confirmation = #"{"identifier":\#(quoted),"type":"confirm_subscription"}"#
        machine.received(confirmation, generation, now)
        for second in 0..<1_200 {
          now += .seconds(1)
          machine.tick(now)
          if second % 3 == 0 { machine.received(#"{"type":"ping"}"#, generation, now) }
          machine.received(#"{"identifier":\#(quoted),"message":1}"#, generation, now)
          perform()
          performOutputs()
        }
        machine.closed(generation, .closed(.normal, reason: ""), now)
      }
      machine.channels.subscribe(member, now)
      machine.connect(now)
      for _ in 0..<2 { connection() }
      let growth = heapGrowth { for _ in 0..<20 { connection() } }
      precondition(delivered == 22 * 1_200, "\(delivered)")
      precondition(growth < 4096, "\(growth) bytes")
    }
  }
}

extension CableStateMachine {
  fileprivate mutating func received(_ text: String, _ generation: Int, _ now: Duration) {
    received(CableFrame(text), in: .text(text), generation, now)
  }
}
#endif
