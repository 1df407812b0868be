import Dispatch

/// Saves the changes of a shared value, a while after they were made.
final class ValueKeeper<Value: Sendable>: Sendable {
  private struct Changes {
    /// Returns the newest value; nil when it is saved.
    var newest: (@Sendable () -> Value)?
    var isScheduled = false
  }

  private let storage: any ValueStorage<Value>
  private let delay: RxTimeInterval
  private let scheduler: any SchedulerType
  /// Called with failures without an observer, by the test in which this was created.
  private let onProblem = EffectContext.ambient?.onProblem
  private let changes = Locked(Changes())
  // Saves one value at a time.
  private let queue = DispatchQueue(label: "Compose.ValueKeeper")
  private let isSaving = DispatchSpecificKey<Bool>()
  private let reportedFailures = ReplaySubject<any Error>.create(bufferSize: 1)

  init(
    _ storage: some ValueStorage<Value>, _ delay: Duration, _ scheduler: (any SchedulerType)?
  ) {
    self.storage = storage
    self.delay = RxTimeInterval(delay)
    self.scheduler = scheduler ?? Self.defaultScheduler
    queue.setSpecific(key: isSaving, value: true)
  }

  /// Virtual time where a composer runs in it, otherwise a background queue.
  private static var defaultScheduler: any SchedulerType {
    let clock = EffectContext.dependencies.injectedClock
    if let clock, clock is any MainSchedulerSubstitute { return clock }
    return SerialDispatchQueueScheduler(qos: .utility)
  }

  /// The errors of the storage; a new observer receives the last one.
  var failures: Observable<any Error> { reportedFailures.asObservable() }

  /// Returns the stored value; nil, after reporting the error, when it cannot be loaded.
  func load() -> Value? {
    do {
      return try storage.load()
    } catch {
      report(error)
      return nil
    }
  }

  /// Saves the value after the delay.
  ///
  /// - Parameter newest: returns the value to save, which may have changed until then.
  func saveLater(_ newest: @escaping @Sendable () -> Value) {
    let mustSchedule = changes.withLock { changes in
      changes.newest = newest
      defer { changes.isScheduled = true }
      return !changes.isScheduled
    }
    guard mustSchedule else { return }
    _ = scheduler.scheduleRelative((), dueTime: delay) { [weak self] in
      guard let self else { return Disposables.create() }
      changes.withLock { $0.isScheduled = false }
      saveOrReport()
      return Disposables.create()
    }
  }

  /// Saves the newest value, if it has changed, and reports an error.
  func saveOrReport() {
    do { try save() } catch { report(error) }
  }

  /// Saves the newest value, if it has changed, before this returns.
  ///
  /// A storage that calls this while it saves does not wait for itself.
  func save() throws {
    if DispatchQueue.getSpecific(key: isSaving) == true { return }
    try queue.sync {
      let newest = changes.withLock { $0.newest.take() }
      guard let newest else { return }
      do {
        try storage.save(newest())
      } catch {
        changes.withLock { $0.newest = $0.newest ?? newest }
        throw error
      }
    }
  }

  private func report(_ error: any Error) {
    if !reportedFailures.hasObservers {
      (onProblem ?? ComposeHooks.onProblem)(.valueNotKept(error))
    }
    reportedFailures.onNext(error)
  }
}
