import TestSupport
import Testing

@testable import Sockets

@Suite("The driver of a state machine", .workerPool) struct StateMachineDriverTests {
  /// Its outputs are numbers; performing one causes the next lower one, down to 0.
  private struct Countdown: StateMachine {
    var outputs = Fifo<Int>()

    var hasOutputs: Bool { !outputs.isEmpty }

    mutating func popOutput() -> Int? { outputs.popFirst() }

    mutating func add(_ number: Int) { outputs.append(number) }
  }

  private final class Recorder: StateMachineDriver {
    let content = Locked(DrivenStateMachine(Countdown()))
    let performed = Locked<[String]>([])
    private let isLate: Bool

    init(isLate: Bool = false) { self.isLate = isLate }

    func startPerforming() { if !isLate { performOutputs() } }

    func perform(_ output: Int) {
      performed.withLock { $0.append("begin \(output)") }
      if output > 0 { update { $0.add(output - 1) } }
      performed.withLock { $0.append("end \(output)") }
    }
  }

  @Test func `an output that performing an output causes is performed after it`() {
    let driver = Recorder()
    driver.update { $0.add(2) }
    #expect(
      driver.performed.withLock { $0 } == [
        "begin 2", "end 2", "begin 1", "end 1", "begin 0", "end 0",
      ])
    #expect(driver.read { $0.hasOutputs } == false)
  }

  @Test func `the outputs of one change are performed in order`() {
    let driver = Recorder()
    driver.update { machine in
      machine.add(0)
      machine.add(0)
    }
    #expect(driver.performed.withLock { $0 } == ["begin 0", "end 0", "begin 0", "end 0"])
  }

  @Test func `performing starts once for outputs that are not performed yet`() {
    let driver = Recorder(isLate: true)
    driver.update { $0.add(0) }
    driver.update { $0.add(0) }
    #expect(driver.performed.withLock { $0 }.isEmpty)
    driver.performOutputs()
    #expect(driver.performed.withLock { $0.count } == 4)
  }

  @Test func `an input that throws returns its error and performs nothing`() {
    let driver = Recorder()
    #expect(throws: CancellationError.self) {
      try driver.update { _ in throw CancellationError() }
    }
    #expect(driver.performed.withLock { $0 }.isEmpty)
  }

  @Test func `threads change one machine, and each output is performed once, alone`() async {
    let driver = Recorder()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<100 { driver.update { $0.add(1) } } }
      }
    }
    let performed = driver.performed.withLock { $0 }
    #expect(performed.count == 8 * 100 * 4)
    for (begin, end) in stride(from: 0, to: performed.count, by: 2).map({ ($0, $0 + 1) }) {
      #expect(performed[end] == performed[begin].replacing("begin", with: "end"))
    }
  }
}
