import Dispatch

/// Saves the changes of a shared value, a while after they were made.
///
/// A stored value that could not be loaded is loaded again before the first save, which would replace it.
final class ValueKeeper<Value: Sendable>: Sendable {
  /// The value that is kept.
  struct Source: Sendable {
    /// Returns the newest value.
    let newest: @Sendable () -> Value
    /// Joins a stored value that could not be loaded before with the changes since.
    let join: @Sendable (_ stored: Value) -> Void
    /// Called after `join`, without a lock.
    let deliver: @Sendable () -> Void
  }

  private struct Changes {
    var isUnsaved = false
    var isScheduled = false
    var isLoaded = false
    /// The number of failures since the last save.
    var failures = 0
    /// The last failure that was reported, and not followed by a save.
    var reported: String?

    /// Returns whether there is something to save.
    mutating func beginSaving() -> Bool {
      defer { isUnsaved = false }
      return isUnsaved
    }

    mutating func noteSave() {
      failures = 0
      reported = nil
    }

    mutating func noteFailure() {
      isUnsaved = true
      failures += 1
    }

    /// The delay before the next save.
    func delay(_ delay: Duration) -> Duration {
      switch failures {
      case 0: delay
      case 1: max(delay, .milliseconds(500))
      default: max(delay, .seconds(60))
      }
    }
  }

  /// Nil when the value is released.
  private let storage: Locked<(any ValueStorage<Value>)?>
  private let delay: Duration
  private let scheduler: any SchedulerType
  private let onFailure: @Sendable (any Error) -> Void
  private let changes = Locked(Changes())
  private let source = Locked<Source?>(nil)
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
      let value = try storage.withLock { $0 }?.load()
      changes.withLock { $0.isLoaded = true }
      return value
    } catch {
      report(error)
      return nil
    }
  }

  /// Sets the value to save; called once, before the first change.
  func begin(_ source: Source) { _ = self.source.replace(with: source) }

  /// Saves the newest value after the delay.
  func saveLater() {
    changes.withLock { $0.isUnsaved = true }
    schedule()
  }

  private func schedule() {
    let delay = changes.withLock { changes -> Duration? in
      if changes.isScheduled || !changes.isUnsaved { return nil }
      changes.isScheduled = true
      return changes.delay(self.delay)
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
    guard let source = source.withLock({ $0 }) else { return }
    var isJoined = false
    // Not on the queue: an observer may wait for a thread that flushes.
    defer { if isJoined { source.deliver() } }
    try queue.sync {
      guard let storage = storage.withLock({ $0 }) else { return }
      while changes.withLock({ $0.beginSaving() }) {
        do {
          if let stored = try loadAgain(from: storage) {
            source.join(stored)
            isJoined = true
          }
          try storage.save(source.newest())
          changes.withLock { $0.noteSave() }
        } catch {
          changes.withLock { $0.noteFailure() }
          throw error
        }
      }
    }
  }

  /// Returns the stored value when it has not been loaded so far; nil without one.
  private func loadAgain(from storage: any ValueStorage<Value>) throws -> Value? {
    if changes.withLock(\.isLoaded) { return nil }
    let stored = try storage.load()
    changes.withLock { $0.isLoaded = true }
    return stored
  }
}
