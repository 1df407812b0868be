import Foundation
import ReactiveTesting
import Sockets
import TestSupport
import Testing

@testable import tasks

@Suite("Recordings of the tasks", .workerPool)
struct TasksRecordingTests {
  @Test func `a recording of the tasks is replayed, also from a file`() throws {
    let kept = SharedValue(TaskList(items: [milk, bread]))
    let time = VirtualTime { $0.api = .unreachable }
    let timeline = time.run {
      let app = Composed(sending: App(kept)) { $0.api = .unreachable }
      let recorder = TimelineRecorder(app.trace)
      app.send(.edit(milk.id))
      app.send(.editor(.type("oat milk")))
      app.send(.editor(.save))
      app.send(.row(bread.id, .toggle))
      app.send(.undo)
      app.send(.showHistory(milk.id))
      app.send(.sync(.socket(.waiting(retry: 1, delay: .seconds(1), error: .connectionLost))))
      app.send(.sync(.fetched(Reply(id: .counted(9), items: [milk, bread]))))
      return recorder.timeline
    }
    let read = try Timeline<App.State, App.Action>(jsonLines: timeline.jsonLines())
    #expect(read.steps.count >= 8)
    #expect(read.difference(from: timeline) == nil)
  }
}
