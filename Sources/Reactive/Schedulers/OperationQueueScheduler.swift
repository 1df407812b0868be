#if FullFoundation
import Foundation

/// Runs work as operations of a queue, in order if the queue runs one operation at a time.
///
/// It requires the package's trait `FullFoundation`, which is on by default.
public final class OperationQueueScheduler: ImmediateSchedulerType {
  /// The queue that runs the work.
  public let operationQueue: OperationQueue
  /// The priority of the operations.
  public let queuePriority: Operation.QueuePriority

  /// Creates a scheduler of `operationQueue`.
  ///
  /// - Parameters:
  ///   - operationQueue: queue that runs the work; its limit of concurrent operations applies
  ///   - queuePriority: priority of the operations among those that are ready; `.normal` by default
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
  }

  /// Runs `action` as an operation of the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    if let host = HostSystem.current {
      host.enqueue(on: operationQueue.underlyingQueue) { work.run() }
      return work
    }
    let operation = BlockOperation { work.run() }
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return work
  }
}
#endif
