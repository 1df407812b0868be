import Dispatch

/// Saves the changes of a shared value, a while after they were made.
final class ValueKeeper<Value: Sendable>: Sendable {
  private struct Changes {
    /// Returns the newest value; nil when it is saved.
    var newest: (@Sendable () -> Value)?
    var isScheduled = false
    /// The delay before the next save.
    var delay: Duration
    /// The last failure that was reported, and not followed by a save.
    var reported: String?
  }

  /// Nil when the value is released.
  private let storage: Locked<(any ValueStorage<Value>)?>
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
    self.storage = Locked(storage)
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
      return try storage.withLock { $0 }?.load()
    } catch {
      report(error)
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
  private func saveOrReport() {
    do {
      try save()
    } catch {
      report(error)
      changes.withLock { $0.delay = max(delay, $0.delay == delay ? delay * 2 : .seconds(60)) }
      schedule()
    }
  }

  /// Reports `error`, unless it was the last one.
  private func report(_ error: any Error) {
    let text = "\(error)"
    let isNew = changes.withLock { changes in
      defer { changes.reported = text }
      return changes.reported != text
    }
    if isNew { onFailure(error) }
  }

  /// Saves the newest value, if it has changed, before this returns.
  func flush() throws {
    do {
      try save()
    } catch {
      schedule()
      throw error
    }
  }

  /// Saves the newest value, and releases the storage before this returns.
  func close() {
    do { try save() } catch { report(error) }
    let release = { [storage] in _ = storage.replace(with: nil) }
    if isOnQueue { release() } else { queue.sync(execute: release) }
  }

  private var isOnQueue: Bool { DispatchQueue.getSpecific(key: isSaving) == true }

  /// Called by the storage while it saves, it returns: what has changed is saved next.
  private func save() throws {
    if isOnQueue { return }
    try queue.sync {
      guard let storage = storage.withLock({ $0 }) else { return }
      while let newest = changes.withLock({ $0.newest.take() }) {
        do {
          try storage.save(newest())
          changes.withLock { ($0.delay, $0.reported) = (delay, nil) }
        } catch {
          changes.withLock { $0.newest = $0.newest ?? newest }
          throw error
        }
      }
    }
  }
}
