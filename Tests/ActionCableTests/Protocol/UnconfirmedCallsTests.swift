import TestSupport
import Testing

@testable import ActionCable

@Suite("The ledger of unconfirmed calls", .workerPool) struct UnconfirmedCallsTests {
  private func call(_ number: Int) -> CableCall {
    CableCall(action: "say", data: ["n": .integer(number)])
  }

  /// A ledger with calls 1 to `count`, each of 10 bytes, whose server answers pings.
  private func ledger(_ count: Int, at time: Duration = .zero) -> UnconfirmedCalls {
    var ledger = UnconfirmedCalls(firstNumber: 1)
    #expect(ledger.beginPing(.zero) == 0)
    ledger.pongReceived(0, .zero)
    for number in 1...count {
      #expect(ledger.add(call(number), of: 1, time) == number)
      ledger.callSent(end: 10 * number)
    }
    return ledger
  }

  private func numbers(_ calls: [UnconfirmedCalls.Call]) -> [Int] {
    calls.compactMap { $0.call.data["n"]?.integer }
  }

  @Test func `a call is removed by the pong of a ping that was sent a second after its own pong`() {
    var ledger = ledger(3)
    #expect(ledger.beginPing(.zero) == 3)
    ledger.messageReceived(.seconds(60))
    #expect(ledger.count == 3, "no pong")
    ledger.pongReceived(3, .seconds(60))
    #expect(ledger.beginPing(.seconds(60.9)) == nil, "the server may still perform it")
    #expect(ledger.beginPing(.seconds(61)) == 3)
    #expect(ledger.count == 3, "no second pong")
    ledger.pongReceived(3, .seconds(61.1))
    #expect(ledger.isEmpty)
    #expect(ledger.beginPing(.seconds(100)) == nil, "no call to confirm")
  }

  @Test func `a message that the network has held for a second confirms no call`() {
    var ledger = ledger(1)
    #expect(ledger.beginPing(.zero) == 1)
    ledger.pongReceived(1, .seconds(0.1))
    ledger.messageReceived(.seconds(5))
    #expect(numbers(ledger.takeWritten(10)) == [1])
  }

  @Test
  func `a pong confirms the calls whose own pong was a second before its ping, and no later ones`()
  {
    var ledger = ledger(1)
    #expect(ledger.beginPing(.zero) == 1)
    ledger.pongReceived(1, .zero)
    _ = ledger.add(call(2), of: 1, .seconds(0.5))
    #expect(ledger.beginPing(.seconds(0.5)) == 2)
    ledger.pongReceived(2, .seconds(2))
    #expect(ledger.count == 2, "the ping was sent half a second after the first pong")
    #expect(ledger.beginPing(.seconds(2)) == 2)
    ledger.pongReceived(2, .seconds(2.1))
    #expect(numbers(ledger.takeAll()) == [2])
  }

  @Test func `one ping is outstanding at a time, and the next ping covers all later calls`() {
    var ledger = ledger(2)
    #expect(ledger.beginPing(.zero) == 2)
    for number in 3...5 { _ = ledger.add(call(number), of: 1, .zero) }
    #expect(ledger.beginPing(.zero) == nil)
    ledger.pongReceived(2, .seconds(1))
    #expect(ledger.beginPing(.zero) == 5)
    ledger.pongReceived(5, .seconds(1.5))
    #expect(ledger.beginPing(.seconds(1.9)) == nil, "nothing new")
    #expect(ledger.beginPing(.seconds(2)) == 5)
    ledger.pongReceived(5, .seconds(2.4))
    #expect(ledger.count == 3)
    #expect(ledger.beginPing(.seconds(2.5)) == 5)
    ledger.pongReceived(5, .seconds(2.6))
    #expect(ledger.isEmpty)
  }

  @Test func `a ping that failed behind its calls is sent again`() {
    var ledger = ledger(2)
    #expect(ledger.beginPing(.zero) == 2)
    ledger.pingFailed(2)
    _ = ledger.add(call(3), of: 1, .zero)
    #expect(ledger.beginPing(.zero) == 3)
    ledger.pingFailed(2)
    #expect(ledger.beginPing(.zero) == nil, "an older ping")
  }

  @Test(arguments: [0, 1, 3, 99]) func `an unexpected pong confirms no call`(
    number: Int
  ) {
    var ledger = ledger(2)
    #expect(ledger.beginPing(.zero) == 2)
    ledger.pongReceived(number, .zero)
    ledger.messageReceived(.seconds(60))
    #expect(ledger.count == 2)
    #expect(ledger.beginPing(.zero) == nil)
  }

  @Test
  func `without any pong, a call counts as delivered when a message arrives six seconds later`() {
    var ledger = UnconfirmedCalls(firstNumber: 1)
    #expect(ledger.beginPing(.zero) == 0)
    _ = ledger.add(call(1), of: 1, .zero)
    _ = ledger.add(call(2), of: 1, .seconds(1))
    ledger.messageReceived(.seconds(6))
    #expect(ledger.count == 2)
    ledger.messageReceived(.seconds(6.5))
    #expect(numbers(ledger.takeAll()) == [2])
  }

  @Test func `taking the written calls keeps the others`() {
    var ledger = ledger(4)
    _ = ledger.add(call(5), of: 1, .zero)
    ledger.callSent(end: .max)
    _ = ledger.add(call(6), of: 1, .zero)
    #expect(numbers(ledger.takeWritten(29)) == [1, 2], "the third one lacks a byte")
    #expect(numbers(ledger.takeWritten(30)) == [3])
    #expect(
      numbers(ledger.takeWritten(1_000_000)) == [4], "the socket has not written the fifth call")
    #expect(numbers(ledger.takeAll()) == [5, 6])
    #expect(ledger.isEmpty)
  }

  @Test func `a ledger contains the calls of its own numbers only`() {
    var ledger = ledger(2)
    #expect((0...3).filter(ledger.contains) == [1, 2])
    _ = ledger.takeWritten(10)
    #expect((0...3).filter(ledger.contains) == [2])
    var next = UnconfirmedCalls(firstNumber: ledger.nextNumber)
    #expect(next.beginPing(.zero) == 2)
    #expect(next.add(call(3), of: 1, .zero) == 3)
    #expect((0...4).filter(next.contains) == [3])
  }
}
