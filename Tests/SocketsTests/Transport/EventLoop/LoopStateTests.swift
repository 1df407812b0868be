import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct LoopStateTests {
  @Test func `many jobs need one wake-up, and none while the loop is awake`() {
    var agenda = LoopState()
    #expect(agenda.add {} == false)
    #expect(agenda.timeUntilNextTurn(isBusy: false) { 0 } == 0)
    var jobs: [EventLoop.Job] = []
    agenda.takeJobs(into: &jobs)
    #expect(jobs.count == 1)
    #expect(agenda.timeUntilNextTurn(isBusy: false) { 0 } == nil)
    #expect(agenda.add {} == true)
    #expect(agenda.add {} == false)
  }

  @Test func `a sleeping loop is woken only for an earlier timer`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var agenda = LoopState()
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 100) == false)
    #expect(agenda.timeUntilNextTurn(isBusy: false) { 40 } == 60)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 200) == false)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 90) == true)
  }

  @Test func `a loop with work left does not sleep`() {
    var agenda = LoopState()
    #expect(agenda.timeUntilNextTurn(isBusy: true) { 0 } == 0)
    // It is awake.
    #expect(agenda.add {} == false)
  }

  @Test func `after a wait the loop knows whether jobs and timers are due`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var agenda = LoopState()
    _ = agenda.add(LoopTimer(loop: loop) {}, deadline: 100)
    #expect(agenda.endWait { 99 } == .init(timers: false, jobs: false))
    _ = agenda.add {}
    #expect(agenda.endWait { 99 } == .init(timers: false, jobs: true))
    #expect(agenda.endWait { 100 } == .init(timers: true, jobs: true))
  }

  @Test func `a loop that was stopped does not wait`() {
    var agenda = LoopState()
    #expect(agenda.beginWait(isBusy: false) { 0 }?.nanoseconds == .some(nil))
    #expect(agenda.stop() == true)
    #expect(agenda.beginWait(isBusy: false) { 0 } == nil)
  }

  @Test func `a job that is added after the end is refused`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var agenda = LoopState()
    _ = agenda.end()
    #expect(agenda.add {} == false)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 0) == nil)
    #expect(agenda.end().jobs.isEmpty)
    #expect(agenda.takeDueAction(now: 1) == nil)
  }
}
