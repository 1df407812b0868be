import Synchronization

extension ObservableType {
  /// Emits the elements of all `sources` in the order in which they arrive.
  ///
  /// Completes when all sources have completed. The first error ends the result and disposes of the
  /// other sources. Sources may emit on different threads: one element is delivered at a time. A
  /// thread waits for another one only where elements arrive faster than they are delivered
  /// (<doc:Contract>).
  ///
  ///           -a-----b--|
  ///           ---1-2------|
  ///     merge -a-1-2-b----|
  ///
  /// - Parameter sources: observables to subscribe to, in order; an empty collection completes at
  ///   once
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

  /// Emits the elements of all `sources` in the order in which they arrive.
  ///
  /// - Parameter sources: observables to subscribe to, in order; without any, the result completes
  @inlinable public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources)
  }

  /// Emits the elements of all `sources` in the order in which they arrive.
  ///
  /// - Parameters:
  ///   - sources: observables to subscribe to, in order
  ///   - delayErrors: whether the other sources continue when one fails; the result then ends with
  ///     the first error, once all sources have ended
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

  /// Emits the elements of all observables made by `selector`, in the order in which they arrive.
  ///
  /// Completes when the source and all inner observables have completed. The first error, or one
  /// that `selector` throws, ends the result and disposes of the source and all inner observables.
  @preconcurrency @inlinable public func flatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = Merger(down)
      merger.flatten(run, selector)
    }
  }

  /// Runs the observables that `selector` makes of the elements one after the other, in order.
  ///
  /// `selector` is called when the element arrives. Its observable is queued, without a limit,
  /// while another one runs. A queued observable begins as separate work of the trampoline, on the
  /// thread on which the previous one has completed. Completes when the source and all inner
  /// observables have completed; the first error ends the result.
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
  /// Emits the elements of all observables of the source, in the order in which they arrive.
  @inlinable public func merge() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let merger = Merger(down)
      merger.flatten(run) { $0 }
    }
  }

  /// Emits the elements of all observables of the source, in the order in which they arrive.
  ///
  ///                             -a---b----|
  ///                              -1-x
  ///                                  -2---3-|
  ///     merge(delayErrors: true) --1--2---3-x
  ///
  /// - Parameter delayErrors: whether the others continue when an inner observable or the source
  ///   fails; the result then ends with the first error, once all have ended
  @inlinable public func merge(delayErrors: Bool) -> Observable<Element.Element> {
    if !delayErrors { return merge() }
    let source = asObservable()
    return Observable<Element.Element>.delaying { error, down in
      let merger = Merger(down)
      merger.flatten(error.delayed(source).run) { error.delayed($0.asObservable()) }
    }
  }

  /// Emits the elements of the source's observables, and runs at most `maxConcurrent` at a time.
  ///
  /// Further observables are queued in order, without a limit. A queued observable begins as
  /// separate work of the trampoline, on the thread on which another one has completed.
  ///
  /// - Parameter maxConcurrent: number of observables that run at a time; less than 1 counts as 1
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

  /// Returns `source` with completion in place of an error, which is noted.
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

/// The state of an operator over inner observables: how many of them still run.
///
/// It does not depend on the type of the elements.
@usableFromInline class MergerCore: Gate, @unchecked Sendable {
  // `live` decreases only inside the gate: the result completes after all elements sent before.
  @usableFromInline final let live = Atomic(1)
  @usableFromInline final let lifetime: Lifetime
  @usableFromInline final let end: ((any Error)?) -> Void

  @usableFromInline init(_ lifetime: Lifetime, _ end: @escaping ((any Error)?) -> Void) {
    self.lifetime = lifetime
    self.end = end
    super.init(lifetime)
  }

  /// Runs the source of the inner observables, which is one of those that must complete.
  @inlinable final func subscribe<Outer>(
    _ run: (Observer<Outer>) -> Void, _ add: @escaping (Outer) throws -> Void
  ) {
    lifetime.run(
      run,
      receiving: { source in
        { outer in
          if self.isOver(source) { return }
          do { try add(outer) } catch { self.fail(error, from: source) }
        }
      }, end: { self.finish($0) })
  }

  /// Whether elements of `source` are dropped: an error of another source may be queued already.
  @inlinable final func isOver(_ source: Lifetime) -> Bool { source.isClosed || lifetime.isClosed }

  /// Ends the result with an error that a closure has thrown for an element of `source`.
  @inline(never) @usableFromInline final func fail(_ error: any Error, from source: Lifetime) {
    run(error, end)
    // The error may be queued: the closure must not be called again meanwhile.
    source.finish()
  }

  /// Notes the end of one that must complete: an inner observable, or the source of them.
  @usableFromInline final func finish(_ error: (any Error)?) {
    run(error) { error in
      let isLast = self.live.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      if error != nil || isLast { self.end(error) }
    }
  }

  /// Called once when `inner` has ended, after its release.
  func ended(_ inner: Inner, _ error: (any Error)?) { finish(error) }
}

/// A merger that runs the observable made of each element of a source.
@usableFromInline protocol ObservableMerger<Element>: MergerCore {
  associatedtype Element

  /// Runs one more observable, now or when another one has ended.
  func add(_ source: Observable<Element>)
}

extension ObservableMerger {
  /// Runs the source of the inner observables.
  ///
  /// It repeats the code of `subscribe`: an `add` closure would cost a further call for each
  /// element.
  @inlinable func flatten<Outer, Source: ObservableConvertibleType>(
    _ run: (Observer<Outer>) -> Void, _ selector: @escaping (Outer) throws -> Source
  ) where Source.Element == Element {
    lifetime.run(
      run,
      receiving: { source in
        { outer in
          if self.isOver(source) { return }
          do {
            self.add(try selector(outer).asObservable())
          } catch { self.fail(error, from: source) }
        }
      }, end: { self.finish($0) })
  }
}

/// The lifetime of one inner observable.
///
/// The closures that deliver to it capture this object only, and so allocate no memory.
@usableFromInline final class Inner: Lifetime, @unchecked Sendable {
  // The merger defines the meaning of `isMarked`, if it uses the flag.
  @usableFromInline let isMarked = Atomic(false)
  @usableFromInline let merger: MergerCore

  @usableFromInline init(_ merger: MergerCore) {
    self.merger = merger
    super.init(parent: merger.lifetime)
  }

  override var backpressure: Backpressure? { merger.lifetime.backpressure }

  // Without the attribute the optimizer of Swift 6.3 fails on this deinit in clients.
  @_optimize(none) deinit {}

  @usableFromInline func end(_ error: (any Error)?) { if finish() { merger.ended(self, error) } }
}

/// A merger that delivers the elements of its inner observables to one observer.
@usableFromInline class ElementMerger<Element>: MergerCore, @unchecked Sendable {
  // `next` is immutable. The gate's lock protects `arrived`. `taken` is touched only inside the
  // gate.
  @usableFromInline final let next: (Element) -> Void
  @exclusivity(unchecked) @usableFromInline final var arrived = Fifo<Element>()
  @exclusivity(unchecked) @usableFromInline final var taken = Fifo<Element>()

  @inlinable init(_ down: Observer<Element>) {
    next = down.next
    super.init(down.lifetime, down.end)
  }

  /// Delivers `element` inside the gate, like `run` but without a closure for each queued element.
  @inlinable @inline(__always) final func deliver(_ element: Element) {
    pass({ next(element) }, busy: { deliverLater(element) })
  }

  @inlinable @inline(never) final func deliverLater(_ element: Element) {
    queue({ next(element) }) {
      arrived.append(element)
      // Consecutive elements are one entry with a count.
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

  /// Runs an inner observable, outside the gate, so that other threads need not wait.
  @inlinable final func start(_ source: Observable<Element>) {
    let inner = Inner(self)
    source.start(
      Observer(
        inner,
        next: { element in
          if inner.isClosed { return }
          // Not retained for each element: `inner` holds the merger.
          Unmanaged.passUnretained(inner.merger)._withUnsafeGuaranteedRef {
            unsafeDowncast($0, to: ElementMerger.self).deliver(element)
          }
        }, end: { inner.end($0) }))
  }
}

/// A merger that runs all inner observables at once.
@usableFromInline
final class Merger<Element>: ElementMerger<Element>, ObservableMerger, @unchecked Sendable {
  @inlinable override init(_ down: Observer<Element>) { super.init(down) }

  @inlinable func add(_ source: Observable<Element>) {
    switch source.shape {
    case .empty: break
    case .just(let element): deliver(element)
    default:
      // The closure that made `source` may have ended the subscription.
      if lifetime.isDisposed { return }
      live.add(1, ordering: .relaxed)
      start(source)
    }
  }
}

/// A merger that runs a limited number of inner observables at a time and queues the others.
@usableFromInline
final class BoundedMerger<Element>: ElementMerger<Element>, ObservableMerger,
  @unchecked Sendable
{
  // `lock` protects the fields below.
  @usableFromInline let lock = Lock()
  @exclusivity(unchecked) @usableFromInline var linedUp = Fifo<Observable<Element>>()
  @exclusivity(unchecked) @usableFromInline var free: Int
  @exclusivity(unchecked) private var hasFailed = false

  @inlinable init(_ down: Observer<Element>, limit: Int) {
    free = max(1, limit)
    super.init(down)
  }

  /// Runs `source` now, or queues it when the limit is reached.
  @inlinable func add(_ source: Observable<Element>) {
    // The closure that made `source` may have ended the subscription.
    if lifetime.isDisposed { return }
    live.add(1, ordering: .relaxed)
    lock.lock()
    let runsNow = free > 0
    if runsNow { free -= 1 } else { linedUp.append(source) }
    lock.unlock()
    if runsNow { start(source) }
  }

  /// Returns the queued observable that replaces an ended one; without any, frees the place.
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
    // Scheduled, as in RxSwift: observables that end at once would otherwise recurse.
    Trampoline.current.schedule { if !self.lifetime.isDisposed { self.start(next) } }
  }
}
