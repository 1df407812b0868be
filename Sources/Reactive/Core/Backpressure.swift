/// The fill level of a buffer that suspends its sources while it is full.
///
/// The buffer is full with `limit` elements, and has room again with half of them: a source then
/// resumes for several elements, not for each one.
@usableFromInline package final class BufferLevel: @unchecked Sendable {
  // `lock` protects `count` and `current`.
  private let lock = Lock()
  private let limit: Int
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var current: Lifetime?

  @usableFromInline package init(limit: Int) { self.limit = limit }

  /// A lifetime that ends when there is room again; nil while there is room.
  @usableFromInline package var pause: Lifetime? { lock.withLock { current } }

  /// Counts an element that is added to the buffer.
  @usableFromInline package func added() {
    lock.withLock {
      count += 1
      if count >= limit, current == nil { current = Lifetime() }
    }
  }

  /// Counts an element that is removed; returns the pause to pass to `resume(_:)`, if it ends.
  @usableFromInline package func removed() -> Lifetime? {
    lock.withLock {
      count -= 1
      return count <= limit / 2 ? current.take() : nil
    }
  }

  /// Ends a pause; sources that resume on this thread run before this returns, in turns.
  @usableFromInline package static func resume(_ pause: Lifetime?) {
    if let pause { Trampoline.run { pause.dispose() } }
  }
}

/// The object that a source on demand asks for room before it makes an element.
///
/// A source finds it in the lifetime of its observer, once for each subscription. It therefore
/// passes every operator that passes its own lifetime on, like `map`, or a `child()` of it, like
/// `merge`. Without a buffer it costs nothing.
@usableFromInline package final class Backpressure: Sendable {
  private let level: BufferLevel
  /// The scheduler on which a source resumes; nil for the thread that has made room.
  private let scheduler: (any ImmediateSchedulerType)?

  @usableFromInline package init(
    _ level: BufferLevel, goingOnBy scheduler: (any ImmediateSchedulerType)? = nil
  ) {
    self.level = level
    self.scheduler = scheduler
  }

  /// A lifetime that ends when there is room again; nil while there is room.
  @usableFromInline package var pause: Lifetime? { level.pause }

  /// Returns the same backpressure for a source that resumes on `scheduler`.
  fileprivate func goingOn(by scheduler: any ImmediateSchedulerType) -> Backpressure {
    Backpressure(level, goingOnBy: scheduler)
  }

  /// Calls `goOn` when `pause` has ended, unless `source` has ended before.
  @usableFromInline package func after(
    _ pause: Lifetime, in source: Lifetime, _ goOn: @escaping () -> Void
  ) {
    onEnd(of: pause, or: source) { [scheduler] in
      if source.isDisposed { return }
      guard let scheduler else { return goOn() }
      let hop = Lifetime(parent: source)
      hop.add(
        scheduler.schedule(()) {
          hop.dispose()
          goOn()
          return Disposables.create()
        })
    }
  }

  /// Calls `body` once, when `pause` or `source` ends.
  package func onEnd(of pause: Lifetime, or source: Lifetime, _ body: @escaping () -> Void) {
    let waiting = ActionDisposable(body)
    source.insert(waiting)
    pause.insert(waiting)
  }

  /// Returns when there is room, or when `source` has ended.
  func room(in source: Lifetime) async {
    while !source.isDisposed, let pause {
      await withCheckedContinuation { continuation in
        onEnd(of: pause, or: source) { continuation.resume() }
      }
    }
  }
}

/// A lifetime whose sources are suspended while a buffer has no room.
@usableFromInline package final class SuspendableLifetime: Lifetime, @unchecked Sendable {
  // Immutable.
  private let ownBackpressure: Backpressure

  @usableFromInline package init(parent: Lifetime? = nil, _ backpressure: Backpressure) {
    ownBackpressure = backpressure
    super.init(parent: parent)
  }

  override package var backpressure: Backpressure? { ownBackpressure }
}

extension Lifetime {
  /// Returns a child for a source, which is suspended like this lifetime's own source.
  @usableFromInline package final func child() -> Lifetime {
    guard let backpressure else { return Lifetime(parent: self) }
    return SuspendableLifetime(parent: self, backpressure)
  }

  /// Returns a lifetime without a parent for a source that resumes on `scheduler`.
  final func detached(goingOnBy scheduler: any ImmediateSchedulerType) -> Lifetime {
    guard let backpressure else { return Lifetime() }
    return SuspendableLifetime(backpressure.goingOn(by: scheduler))
  }
}
