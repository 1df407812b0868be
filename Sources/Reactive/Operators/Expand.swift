extension ObservableType {
  /// Emits each element and what the observables made of it emit, for whose elements observables are made in
  /// turn: a tree, or pages that name the next one.
  ///
  /// ```swift
  /// source.expand { $0 < 100 ? Observable.just(10 * $0) : .empty() }
  /// ```
  ///
  /// `selector` is called behind each element, and what it makes begins in a turn of its own, so that a chain of
  /// any length needs no deep stack. Completes when the source and all of them have; the first error, or one thrown
  /// by `selector`, ends it and disposes of everything.
  ///
  ///            -1---------------5-|
  ///     expand -1-(10)-(100)----5-(50)-(500)-|
  @preconcurrency @inlinable public func expand<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Element> where Source.Element == Element {
    Observable { [run] down in
      let expander = Expander(down) { try selector($0).asObservable() }
      down.lifetime.run(run, next: { expander.receive($0) }, end: { expander.finish($0) })
    }
  }
}

/// A merger that makes an observable of whatever it delivers.
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
    // What is queued inside the gate runs outside of it.
    Trampoline.enter { run(element, deliver) }
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
    lifetime.run(source.start, next: { self.receive($0) }, end: { self.finish($0) })
  }
}
