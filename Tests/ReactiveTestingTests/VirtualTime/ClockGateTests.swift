import TestSupport
import Testing

@testable import ReactiveTesting

@Suite(.workerPool) struct ClockGateTests {
  private var gate = ClockGate()

  @Test func `an open gate lets the clock move to any time, and ignores steps`() {
    var gate = gate
    gate.step(by: 5, at: 0)
    gate.stepToNext()
    #expect(gate == ClockGate())
    #expect(gate.pass(from: 0, to: 100, nextDue: nil) == 100)
  }

  @Test func `a paused gate lets work of the current moment run, and nothing later`() {
    var gate = gate
    gate.pause(at: 10)
    #expect(gate.pass(from: 10, to: 10, nextDue: 10) == 10)
    #expect(gate.pass(from: 10, to: 11, nextDue: 11) == nil)
    #expect(gate.pass(from: 10, to: 11, nextDue: nil) == nil)
    gate.resume()
    #expect(gate.pass(from: 10, to: 11, nextDue: 11) == 11)
  }

  @Test func `a step by an interval ends in the middle of an advance`() {
    var gate = gate
    gate.pause(at: 10)
    gate.step(by: 5, at: 10)
    #expect(gate.pass(from: 10, to: 12, nextDue: 12) == 12)
    #expect(gate.pass(from: 12, to: 20, nextDue: 20) == 15)
    #expect(gate.pass(from: 15, to: 20, nextDue: 20) == nil)
  }

  @Test func `steps by intervals add up, from the time of the clock on`() {
    var gate = gate
    gate.pause(at: 0)
    gate.step(by: 5, at: 0)
    gate.step(by: 5, at: 0)
    #expect(gate.pass(from: 0, to: 100, nextDue: nil) == 10)
    // The clock has run on without the gate, as by its scheduler.
    gate.step(by: 5, at: 50)
    #expect(gate.pass(from: 50, to: 100, nextDue: nil) == 55)
    gate.step(by: .max, at: 55)
    #expect(gate.pass(from: 55, to: 100, nextDue: nil) == 100)
  }

  @Test func `a step to the next work is used by one moment with due work`() {
    var gate = gate
    gate.pause(at: 0)
    gate.stepToNext()
    #expect(gate.pass(from: 0, to: 3, nextDue: 3) == 3)
    #expect(gate.pass(from: 3, to: 4, nextDue: 4) == nil)
  }

  @Test func `a step to the next work is kept for a later advance, and without any work`() {
    var gate = gate
    gate.pause(at: 0)
    gate.stepToNext()
    #expect(gate.pass(from: 0, to: 3, nextDue: nil) == nil)
    // The end of an advance is before the next work.
    #expect(gate.pass(from: 0, to: 3, nextDue: 8) == 3)
    #expect(gate.pass(from: 3, to: 6, nextDue: 8) == 6)
    #expect(gate.pass(from: 6, to: 8, nextDue: 8) == 8)
    #expect(gate.pass(from: 8, to: 9, nextDue: 9) == nil)
  }

  @Test func `work up to the end of an interval does not use a step to the next work`() {
    var gate = gate
    gate.pause(at: 0)
    gate.step(by: 5, at: 0)
    gate.stepToNext()
    #expect(gate.pass(from: 0, to: 4, nextDue: 4) == 4)
    #expect(gate.pass(from: 4, to: 9, nextDue: 9) == 9)
    #expect(gate.pass(from: 9, to: 10, nextDue: 10) == nil)
  }

  @Test func `a second pause ends the steps that are not used`() {
    var gate = gate
    gate.pause(at: 0)
    gate.step(by: 50, at: 0)
    gate.stepToNext()
    gate.pause(at: 7)
    #expect(gate.pass(from: 7, to: 8, nextDue: 8) == nil)
  }
}
