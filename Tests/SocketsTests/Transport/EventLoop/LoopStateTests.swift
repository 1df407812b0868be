import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct LoopStateTests {
  @Test func `many jobs need one wake-up, and none while the loop is awake`() {
    var agenda = LoopState()
    #expect(agenda.add {} == false)
    #expect(agenda.timeUntilNextDeadline { 0 } == 0)
    var jobs: [EventLoop.Job] = []
    agenda.takeJobs(into: &jobs)
    #expect(jobs.count == 1)
    #expect(agenda.timeUntilNextDeadline { 0 } == nil)
    #expect(agenda.add {} == true)
    #expect(agenda.add {} == false)
  }

  @Test func `a sleeping loop is woken only for an earlier timer`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var agenda = LoopState()
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 100) == false)
    #expect(agenda.timeUntilNextDeadline { 40 } == 60)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 200) == false)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 90) == true)
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
