import Synchronization

extension ObservableType {
  /// Emits the elements of the observables of `selector`, and runs at most `limit` at a time.
  @inlinable func merging<Source: ObservableConvertibleType>(
    atMost limit: Int, _ selector: @escaping (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = BoundedMerger(down, limit: limit)
      merger.flatten(run, selector)
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
