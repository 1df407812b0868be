import Foundation
import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct OperationQueueSchedulerTests {
  @Test func `an operation queue scheduler runs its work with its priority`() {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.isSuspended = true
    let log = EventRecorder<Int>()
    let schedulers = [Operation.QueuePriority.low, .high].map {
      OperationQueueScheduler(operationQueue: queue, queuePriority: $0)
    }
    for (number, scheduler) in schedulers.enumerated() {
      _ = scheduler.schedule(number) {
        log.append($0)
        return Disposables.create()
      }
    }
    let cancelled = OperationQueueScheduler(operationQueue: queue).schedule(2) {
      log.append($0)
      return Disposables.create()
    }
    cancelled.dispose()
    queue.isSuspended = false
    queue.waitUntilAllOperationsAreFinished()
    #expect(log.events == [1, 0])
  }

  @Test func `an operation queue scheduler disposes of the disposable that its work returned`() {
    let queue = OperationQueue()
    let inner = BooleanDisposable()
    let work = OperationQueueScheduler(operationQueue: queue).schedule(()) { inner }
    queue.waitUntilAllOperationsAreFinished()
    #expect(!inner.isDisposed)
    work.dispose()
    #expect(inner.isDisposed)
  }
}
