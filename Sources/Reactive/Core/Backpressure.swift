/// How full a buffer is whose sources are suspended while it has no room.
///
/// It is full with `limit` elements, and has room again with half of them: a source goes on for several elements, not
/// for each.
@usableFromInline package final class BufferLevel: @unchecked Sendable {
  // `lock` protects `count` and `current`.
  private let lock = Lock()
  private let limit: Int
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var current: Lifetime?

  @usableFromInline package init(limit: Int) { self.limit = limit }

  /// Ends when there is room again; nil while there is room.
  @usableFromInline package var pause: Lifetime? { lock.withLock { current } }

  /// One more element waits.
  @usableFromInline package func added() {
    lock.withLock {
      count += 1
      if count >= limit, current == nil { current = Lifetime() }
    }
  }

  /// One element less waits; returns what is to be passed to `resume(_:)` then.
  @usableFromInline package func removed() -> Lifetime? {
    lock.withLock {
      count -= 1
      return count <= limit / 2 ? current.take() : nil
    }
  }

  /// Ends a pause: sources that are called on this thread go on before this returns, in turns.
  @usableFromInline package static func resume(_ pause: Lifetime?) {
    if let pause { Trampoline.enter { pause.dispose() } }
  }
}

/// What a source looks at before it makes an element, if it makes elements when it is asked: whether a buffer on
/// their way has room.
///
/// A source finds it in the lifetime of its observer, once for each subscription. So it reaches a source through every
/// operator that passes its own lifetime on, like `map`, or a `child()` of it, like `merge`; and costs nothing where
/// there is no buffer.
@usableFromInline package final class Backpressure: Sendable {
  private let level: BufferLevel
  /// Where a source goes on; nil for the thread that has made room.
  private let scheduler: (any ImmediateSchedulerType)?

  @usableFromInline package init(
    _ level: BufferLevel, goingOnBy scheduler: (any ImmediateSchedulerType)? = nil
  ) {
    self.level = level
    self.scheduler = scheduler
  }

  /// Ends when there is room again; nil while there is room.
  @usableFromInline package var pause: Lifetime? { level.pause }

  /// The same for a source that goes on by `scheduler`.
  fileprivate func goingOn(by scheduler: any ImmediateSchedulerType) -> Backpressure {
    Backpressure(level, goingOnBy: scheduler)
  }

  /// Calls `goOn` when `pause` has ended, unless `source` has ended by then.
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

  /// Calls `body` once, when `pause` or `source` has ended.
  package func onEnd(of pause: Lifetime, or source: Lifetime, _ body: @escaping () -> Void) {
    let waiting = ActionDisposable(body)
    source.insert(waiting)
    pause.insert(waiting)
  }

  /// Returns when there is room, or `source` has ended.
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
  /// A child for a source of this one's elements: it is suspended as this one's own source would be.
  @usableFromInline package final func child() -> Lifetime {
    guard let backpressure else { return Lifetime(parent: self) }
    return SuspendableLifetime(parent: self, backpressure)
  }

  /// A lifetime without parent for a source of this one's elements, which goes on by `scheduler` when it was suspended.
  final func detached(goingOnBy scheduler: any ImmediateSchedulerType) -> Lifetime {
    guard let backpressure else { return Lifetime() }
    return SuspendableLifetime(backpressure.goingOn(by: scheduler))
  }
}
