import Foundation
import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ScheduledWorkTests {
  @Test func `disposed work on a suspended queue does not run and is released`() {
    let queue = DispatchQueue(label: "held back")
    queue.suspend()
    let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "work")
    let log = EventRecorder<Int>()
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
    #expect(log.events.isEmpty)
  }
}
