import Synchronization

extension ObservableType {
  /// Emits what all `sources` emit, as it comes.
  ///
  /// Completes when all have; the first error ends it and disposes of the others. Sources may emit
  /// from different threads: one element is delivered at a time, and a thread waits for others only where these
  /// send more than is taken (<doc:Contract>).
  ///
  ///           -a-----b--|
  ///           ---1-2------|
  ///     merge -a-1-2-b----|
  @inlinable public static func merge<Sources: Collection>(_ sources: Sources)
    -> Observable<Element> where Sources.Element == Observable<Element>
  {
    Observable { down in
      let merger = Merger(down)
      for source in sources {
        if down.lifetime.isDisposed { return }
        merger.add(source)
      }
      merger.finish(nil)
    }
  }

  /// Emits what all `sources` emit, as it comes.
  @inlinable public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }

  /// Emits what all `sources` emit, as it comes.
  ///
  /// - Parameter delayErrors: whether the others go on when one fails; the first error is then the end, once all
  ///   have ended.
  @inlinable public static func merge<Sources: Collection>(_ sources: Sources, delayErrors: Bool)
    -> Observable<Element> where Sources.Element == Observable<Element>
  {
    if !delayErrors { return merge(sources) }
    return delaying { error, down in
      merge(sources.map { error.delayed($0) }).run(down)
    }
  }

  @inlinable static func delaying(
    _ run: @escaping (DelayedError, Observer<Element>) -> Void
  ) -> Observable<Element> {
    Observable { down in
      let error = DelayedError()
      let end: ((any Error)?) -> Void = { down.end($0 ?? error.first) }
      run(error, Observer(down.lifetime, next: down.next, end: end))
    }
  }

  /// Emits what the observables made of each element emit, as it comes.
  ///
  /// Completes when the source and all of them have; the first error, or one thrown by `selector`,
  /// ends it and disposes of everything.
  @preconcurrency @inlinable public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = Merger(down)
      merger.flatten(run, selector)
    }
  }

  /// Runs the observables made of each element one after the other, in order.
  ///
  /// `selector` is called when the element arrives; what it makes waits, unbounded, while an
  /// observable runs, and begins in a turn of its own on the thread on which that has completed.
  /// Completes when the source and all of them have; the first error ends it.
  @preconcurrency @inlinable public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> { merging(atMost: 1, selector) }

  @inlinable func merging<Source: ObservableConvertibleType>(
    atMost limit: Int, _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = BoundedMerger(down, limit: limit)
      merger.flatten(run, selector)
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits what the source's observables emit, as it comes.
  @inlinable public func merge() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let merger = Merger(down)
      merger.flatten(run) { $0 }
    }
  }

  /// Emits what the source's observables emit, as it comes.
  ///
  ///                             -a---b----|
  ///                              -1-x
  ///                                  -2---3-|
  ///     merge(delayErrors: true) --1--2---3-x
  ///
  /// - Parameter delayErrors: whether the others go on when one fails, or the source of them; the first error is
  ///   then the end, once all have ended.
  @inlinable public func merge(delayErrors: Bool) -> Observable<Element.Element> {
    if !delayErrors { return merge() }
    let source = asObservable()
    return Observable<Element.Element>.delaying { error, down in
      let merger = Merger(down)
      merger.flatten(error.delayed(source).run) { error.delayed($0.asObservable()) }
    }
  }

  /// Emits what the source's observables emit, at most `maxConcurrent` of them at a time.
  ///
  /// The others wait, unbounded, in the order they came. One that has waited begins in a turn of its own
  /// on the thread on which another one has completed.
  @inlinable public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    merging(atMost: maxConcurrent) { $0 }
  }

  /// Runs the source's observables one after the other, in order.
  @inlinable public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

/// The first error of several observables that complete instead of failing.
@usableFromInline final class DelayedError: Sendable {
  private let error = Locked<(any Error)?>(nil)

  @usableFromInline init() {}

  @usableFromInline var first: (any Error)? { error.withLock { $0 } }

  private func note(_ error: (any Error)?) {
    guard let error else { return }
    self.error.withLock { if $0 == nil { $0 = error } }
  }

  /// `source`, which completes where it would fail.
  @usableFromInline func delayed<Element>(_ source: Observable<Element>) -> Observable<Element> {
    Observable(.direct) { down in
      let end: ((any Error)?) -> Void = {
        if !down.lifetime.isDisposed { self.note($0) }
        down.end(nil)
      }
      source.start(Observer(down.lifetime, next: down.next, end: end))
    }
  }
}

/// The state of an operator over observables that come as elements, whatever they emit: who is still
/// running.
@usableFromInline class MergerCore: Gate, @unchecked Sendable {
  // `live` goes down only inside the gate: the result completes after what was brought before.
  @usableFromInline final let live = Atomic(1)
  @usableFromInline final let lifetime: Lifetime
  @usableFromInline final let end: ((any Error)?) -> Void

  @usableFromInline init(_ lifetime: Lifetime, _ end: @escaping ((any Error)?) -> Void) {
    self.lifetime = lifetime
    self.end = end
    super.init(lifetime)
  }

  /// Runs the source of observables, which counts as one of those that must complete.
  @inlinable final func subscribe<Outer>(
    _ run: (Observer<Outer>) -> Void, _ add: @escaping (Outer) throws -> Void
  ) {
    lifetime.run(
      run,
      receiving: { source in
        { outer in
          if self.isOver(source) { return }
          do { try add(outer) } catch { self.fail(error) }
        }
      }, end: { self.finish($0) })
  }

  /// Whether what `source` brings is dropped: an error may be on its way down, from another one.
  @inlinable final func isOver(_ source: Lifetime) -> Bool { source.isClosed || lifetime.isClosed }

  @inline(never) @usableFromInline final func fail(_ error: any Error) { run(error, end) }

  /// One of those that must complete has ended: an inner observable, or the source of them.
  @usableFromInline final func finish(_ error: (any Error)?) {
    run(error) { error in
      let isLast = self.live.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      if error != nil || isLast { self.end(error) }
    }
  }

  /// Called once when `inner` has ended, after it was let go of.
  func ended(_ inner: Inner, _ error: (any Error)?) { finish(error) }
}

/// A merger that runs the observable that is made of each element of a source.
@usableFromInline protocol ObservableMerger<Element>: MergerCore {
  associatedtype Element

  /// Runs one more observable.
  func add(_ source: Observable<Element>)
}

extension ObservableMerger {
  /// Runs the source of observables; written out, where a closure that adds them would be a call more for each.
  @inlinable func flatten<Outer, Source: ObservableConvertibleType>(
    _ run: (Observer<Outer>) -> Void, _ selector: @escaping (Outer) throws -> Source
  ) where Source.Element == Element {
    lifetime.run(
      run,
      receiving: { source in
        { outer in
          if self.isOver(source) { return }
          do { self.add(try selector(outer).asObservable()) } catch { self.fail(error) }
        }
      }, end: { self.finish($0) })
  }
}

/// One of a merger's observables.
///
/// What delivers to it captures this object and nothing else, and needs no memory of its own.
@usableFromInline final class Inner: Lifetime, @unchecked Sendable {
  // `isMarked` means what the merger says, if it is one that looks at it.
  @usableFromInline let isMarked = Atomic(false)
  @usableFromInline let merger: MergerCore

  @usableFromInline init(_ merger: MergerCore) {
    self.merger = merger
    super.init(parent: merger.lifetime)
  }

  override var backpressure: Backpressure? { merger.lifetime.backpressure }

  // The optimiser of 6.3 fails on it in clients otherwise.
  @_optimize(none) deinit {}

  @usableFromInline func end(_ error: (any Error)?) { if finish() { merger.ended(self, error) } }
}

/// A merger whose observables bring elements for one observer.
@usableFromInline class ElementMerger<Element>: MergerCore, @unchecked Sendable {
  // `next` is immutable. The gate's lock protects `arrived`; `taken` is touched only inside the gate.
  @usableFromInline final let next: (Element) -> Void
  @exclusivity(unchecked) @usableFromInline final var arrived = Fifo<Element>()
  @exclusivity(unchecked) @usableFromInline final var taken = Fifo<Element>()

  @inlinable init(_ down: Observer<Element>) {
    next = down.next
    super.init(down.lifetime, down.end)
  }

  /// Delivers `element` inside the gate: `run`, without a closure around each element that waits.
  @inlinable @inline(__always) final func deliver(_ element: Element) {
    pass({ next(element) }, busy: { deliverLater(element) })
  }

  @inlinable @inline(never) final func deliverLater(_ element: Element) {
    queue({ next(element) }) {
      arrived.append(element)
      // Elements that follow each other wait as a number of them.
      if let last = waiting.indices.last, waiting[last].count > 0 {
        waiting[last].count += 1
      } else {
        waiting.append((1, { self.deliverArrived($0) }))
      }
    }
  }

  @inlinable final func deliverArrived(_ count: Int) {
    for _ in 0..<count {
      if taken.isEmpty { waitingLock.withLock { swap(&taken, &arrived) } }
      if let element = taken.popFirst(), !isOver { next(element) }
    }
  }

  /// Runs one of them, outside the gate, where nobody has to wait for it.
  @inlinable final func start(_ source: Observable<Element>) {
    let inner = Inner(self)
    source.start(
      Observer(
        inner,
        next: { element in
          if inner.isClosed { return }
          // Not retained for each element: `inner` keeps it.
          Unmanaged.passUnretained(inner.merger)._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: ElementMerger.self).deliver(element)
          }
        }, end: { inner.end($0) }))
  }
}

/// A merger that runs all at once.
@usableFromInline
final class Merger<Element>: ElementMerger<Element>, ObservableMerger, @unchecked Sendable {
  @inlinable override init(_ down: Observer<Element>) { super.init(down) }

  @inlinable func add(_ source: Observable<Element>) {
    switch source.shape {
    case .empty: break
    case .just(let element): deliver(element)
    default:
      // The closure that made it may have ended everything.
      if lifetime.isDisposed { return }
      live.add(1, ordering: .relaxed)
      start(source)
    }
  }
}

/// A merger that runs a number of observables at a time and makes the others wait.
@usableFromInline
final class BoundedMerger<Element>: ElementMerger<Element>, ObservableMerger,
  @unchecked Sendable
{
  // `lock` protects the rest.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var linedUp = Fifo<Observable<Element>>()
  @exclusivity(unchecked) @usableFromInline var free: Int
  @exclusivity(unchecked) private var hasFailed = false

  @inlinable init(_ down: Observer<Element>, limit: Int) {
    free = max(1, limit)
    super.init(down)
  }

  /// Now or when it is its turn.
  @inlinable func add(_ source: Observable<Element>) {
    // The closure that made it may have ended everything.
    if lifetime.isDisposed { return }
    live.add(1, ordering: .relaxed)
    lock.lock()
    let runsNow = free > 0
    if runsNow { free -= 1 } else { linedUp.append(source) }
    lock.unlock()
    if runsNow { start(source) }
  }

  /// What takes the place of one that has ended.
  private func following() -> Observable<Element>? {
    lock.lock()
    defer { lock.unlock() }
    if hasFailed { return nil }
    if let next = linedUp.popFirst() { return next }
    free += 1
    return nil
  }

  override func ended(_ inner: Inner, _ error: (any Error)?) {
    if error != nil { lock.withLock { hasFailed = true } }
    finish(error)
    guard let next = following() else { return }
    // In a turn of its own, as in RxSwift: observables that end at once need no stack.
    Trampoline.current.schedule { if !self.lifetime.isDisposed { self.start(next) } }
  }
}
