import Synchronization

/// The state of an operator over inner observables: how many of them still run.
///
/// It does not depend on the type of the elements.
@usableFromInline class MergerCore: SerialGate, @unchecked Sendable {
  // `live` decreases only inside the gate: the result completes after all elements sent before.
  @usableFromInline final let live = Atomic(1)
  @usableFromInline final let lifetime: Lifetime
  @usableFromInline final let end: ((any Error)?) -> Void
  /// Stored, because asking `lifetime` would ask all outer mergers of a recursive `flatMap`.
  fileprivate final let backpressure: Backpressure?

  @usableFromInline init(_ lifetime: Lifetime, _ end: @escaping ((any Error)?) -> Void) {
    self.lifetime = lifetime
    self.end = end
    backpressure = lifetime.backpressure
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
  ///
  /// An error does not count as a completion: while it is delivered, the others may complete.
  @usableFromInline final func finish(_ error: (any Error)?) {
    run(error) { error in
      if error != nil { return self.end(error) }
      let isLast = self.live.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      if isLast { self.end(nil) }
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

  override var backpressure: Backpressure? { merger.backpressure }

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
