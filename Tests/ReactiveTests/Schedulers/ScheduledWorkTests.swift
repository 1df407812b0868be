import Foundation
import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ScheduledWorkTests {
  @Test func `work that was disposed of does not run, and keeps nothing`() {
    let queue = DispatchQueue(label: "held back")
    queue.suspend()
    let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "work")
    let log = Log<Int>()
    #expect(
      isReleased { token in
        scheduler.schedule(()) {
          token.hold()
          log.append(1)
          return Disposables.create()
        }
        .dispose()
      }
    )
    queue.resume()
    queue.sync {}
    #expect(log.entries.isEmpty)
  }
}
