import Dispatch

/// Saves the changes of a shared value, a while after they were made.
final class ValueKeeper<Value: Sendable>: Sendable {
  private struct Changes {
    /// Returns the newest value; nil when it is saved.
    var newest: (@Sendable () -> Value)?
    var isScheduled = false
    /// The delay before the next save.
    var delay: Duration
  }

  private let storage: any ValueStorage<Value>
  private let delay: Duration
  private let scheduler: any SchedulerType
  private let onFailure: @Sendable (any Error) -> Void
  private let changes: Locked<Changes>
  // Saves one value at a time.
  private let queue = DispatchQueue(label: "Compose.ValueKeeper")
  private let isSaving = DispatchSpecificKey<Bool>()

  init(
    _ storage: some ValueStorage<Value>, _ delay: Duration, _ scheduler: (any SchedulerType)?,
    _ onFailure: (@Sendable (any Error) -> Void)?
  ) {
    self.storage = storage
    self.delay = delay
    self.scheduler = scheduler ?? Self.defaultScheduler
    // The test in which this is created is called with its failures.
    let onProblem = EffectContext.ambient?.onProblem
    self.onFailure = onFailure ?? { (onProblem ?? ComposeHooks.onProblem)(.valueNotKept($0)) }
    changes = Locked(Changes(delay: delay))
    queue.setSpecific(key: isSaving, value: true)
  }

  /// Virtual time where a composer runs in it, otherwise a background queue.
  private static var defaultScheduler: any SchedulerType {
    let clock = EffectContext.dependencies.injectedClock
    if let clock, clock is any MainSchedulerSubstitute { return clock }
    return SerialDispatchQueueScheduler(qos: .utility)
  }

  /// Returns the stored value; nil, after reporting the error, when it cannot be loaded.
  func load() -> Value? {
    do {
      return try storage.load()
    } catch {
      onFailure(error)
      return nil
    }
  }

  /// Saves the value after the delay.
  ///
  /// - Parameter newest: returns the value to save, which may have changed until then.
  func saveLater(_ newest: @escaping @Sendable () -> Value) {
    changes.withLock { $0.newest = newest }
    schedule()
  }

  private func schedule() {
    let delay = changes.withLock { changes -> Duration? in
      if changes.isScheduled || changes.newest == nil { return nil }
      changes.isScheduled = true
      return changes.delay
    }
    guard let delay else { return }
    _ = scheduler.scheduleRelative((), dueTime: RxTimeInterval(delay)) { [weak self] in
      self?.changes.withLock { $0.isScheduled = false }
      self?.saveOrReport()
      return Disposables.create()
    }
  }

  /// Saves the newest value, if it has changed; reports an error, and tries again later.
  func saveOrReport() {
    do {
      try save()
    } catch {
      onFailure(error)
      changes.withLock { $0.delay = min(max($0.delay, .seconds(1)) * 2, max(delay, .seconds(60))) }
      schedule()
    }
  }

  /// Saves the newest value, if it has changed, before this returns.
  ///
  /// Called by the storage while it saves, it returns: what has changed is saved next.
  func save() throws {
    if DispatchQueue.getSpecific(key: isSaving) == true { return }
    try queue.sync {
      while let newest = changes.withLock({ $0.newest.take() }) {
        do {
          try storage.save(newest())
          changes.withLock { $0.delay = delay }
        } catch {
          changes.withLock { $0.newest = $0.newest ?? newest }
          throw error
        }
      }
    }
  }
}
