import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct AgendaTests {
  @Test func `many jobs need one wake-up, and none while the loop is awake`() {
    var agenda = Agenda()
    #expect(agenda.add {} == false)
    #expect(agenda.rest { 0 } == 0)
    var jobs: [EventLoop.Job] = []
    agenda.takeJobs(into: &jobs)
    #expect(jobs.count == 1)
    #expect(agenda.rest { 0 } == nil)
    #expect(agenda.add {} == true)
    #expect(agenda.add {} == false)
  }

  @Test func `a sleeping loop is woken for an earlier timer only`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var agenda = Agenda()
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 100) == false)
    #expect(agenda.rest { 40 } == 60)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 200) == false)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 90) == true)
  }

  @Test func `what is added after the end is refused`() throws {
    let loop = try EventLoop(name: "unused")
    defer { loop.stop() }
    var agenda = Agenda()
    _ = agenda.end()
    #expect(agenda.add {} == false)
    #expect(agenda.add(LoopTimer(loop: loop) {}, deadline: 0) == nil)
    #expect(agenda.end().jobs.isEmpty)
    #expect(agenda.takeDueAction(now: 1) == nil)
  }
}
