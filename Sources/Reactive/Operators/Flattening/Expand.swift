extension ObservableType {
  /// Emits each element and, recursively, those of the observable that `selector` makes of it.
  ///
  /// This walks a tree, or pages that refer to the next page.
  ///
  /// ```swift
  /// source.expand { $0 < 100 ? Observable.just(10 * $0) : .empty() }
  /// ```
  ///
  /// `selector` is called after the delivery of each element. Its observable begins as separate
  /// work of the trampoline, so a chain of any length needs no deep stack. Completes when the
  /// source and all inner observables have completed. The first error, or one that `selector`
  /// throws, ends the result and disposes of the source and all inner observables.
  ///
  ///            -1---------------5-|
  ///     expand -1-(10)-(100)----5-(50)-(500)-|
  @preconcurrency @inlinable public func expand<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Element> where Source.Element == Element {
    Observable { [run] down in
      let expander = Expander(down) { try selector($0).asObservable() }
      down.lifetime.run(run, next: { expander.receive($0) }, end: { expander.receiveEnd($0) })
    }
  }
}

/// A merger that makes an observable of each element that it delivers.
@usableFromInline final class Expander<Element>: MergerCore, @unchecked Sendable {
  // Immutable.
  private let next: (Element) -> Void
  private let selector: (Element) throws -> Observable<Element>

  @usableFromInline init(
    _ down: Observer<Element>, _ selector: @escaping (Element) throws -> Observable<Element>
  ) {
    next = down.next
    self.selector = selector
    super.init(down.lifetime, down.end)
  }

  @usableFromInline func receive(_ element: Element) {
    // The trampoline runs the work that `deliver` queues after `run` has left the gate.
    Trampoline.run { run(element, deliver) }
  }

  @usableFromInline func receiveEnd(_ error: (any Error)?) {
    // Before it leaves the gate, `finish` may deliver elements of other threads.
    Trampoline.run { finish(error) }
  }

  private func deliver(_ element: Element) {
    next(element)
    if lifetime.isDisposed { return }
    do {
      let source = try selector(element)
      live.add(1, ordering: .relaxed)
      Trampoline.current.schedule { self.start(source) }
    } catch { end(error) }
  }

  private func start(_ source: Observable<Element>) {
    if lifetime.isDisposed { return }
    lifetime.run(source.start, next: { self.receive($0) }, end: { self.receiveEnd($0) })
  }
}
