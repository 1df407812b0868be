#if FullFoundation
import Foundation

/// Runs work as operations of a queue: in order, when the queue runs one operation at a time.
///
/// With the package's trait `FullFoundation`, which is on by default.
public final class OperationQueueScheduler: ImmediateSchedulerType {
  /// Where the work runs.
  public let operationQueue: OperationQueue
  /// The priority of its operations.
  public let queuePriority: Operation.QueuePriority

  /// A scheduler of `operationQueue`.
  ///
  /// - Parameter queuePriority: which operations that are ready go first; normal by default.
  public init(operationQueue: OperationQueue, queuePriority: Operation.QueuePriority = .normal) {
    self.operationQueue = operationQueue
    self.queuePriority = queuePriority
  }

  /// Runs `action` as an operation of the queue.
  public func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    let work = ScheduledJob(state, action)
    let operation = BlockOperation { work.run() }
    operation.queuePriority = queuePriority
    operationQueue.addOperation(operation)
    return work
  }
}
#endif
