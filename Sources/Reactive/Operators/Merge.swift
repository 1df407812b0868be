import Synchronization

extension ObservableType {
  /// Emits what all `sources` emit, as it comes.
  ///
  /// Completes when all have; the first error ends it and disposes of the others. Sources may emit
  /// from different threads: one element is delivered at a time, and nobody waits.
  ///
  ///           -a-----b--|
  ///           ---1-2------|
  ///     merge -a-1-2-b----|
  @inlinable public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<
    Element
  > where Sources.Element == Observable<Element> {
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
  @inlinable public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    merge(sources[...])
  }

  /// Emits what all `sources` emit, as it comes.
  @inlinable public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources[...])
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
      merger.subscribe(run) { merger.add(try selector($0).asObservable()) }
    }
  }

  /// Runs the observables made of each element one after the other, in order.
  ///
  /// `selector` is called when the element arrives; what it makes waits, unbounded, while an
  /// observable runs. Completes when the source and all of them
  /// have; the first error ends it.
  @preconcurrency @inlinable public func concatMap<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = BoundedMerger(down, limit: 1)
      merger.subscribe(run) { merger.lineUp(try selector($0).asObservable()) }
    }
  }
}

extension ObservableType where Element: ObservableConvertibleType {
  /// Emits what the source's observables emit, as it comes.
  @inlinable public func merge() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let merger = Merger(down)
      merger.subscribe(run) { merger.add($0.asObservable()) }
    }
  }

  /// Emits what the source's observables emit, at most `maxConcurrent` of them at a time.
  ///
  /// The others wait, unbounded, in the order they came.
  @inlinable public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let merger = BoundedMerger(down, limit: maxConcurrent)
      merger.subscribe(run) { merger.lineUp($0.asObservable()) }
    }
  }

  /// Runs the source's observables one after the other, in order.
  @inlinable public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

/// The state of an operator over observables that come as elements: who is still running.
@usableFromInline class Merger<Element>: Gate, @unchecked Sendable {
  // `live` goes down only inside the gate: the result completes after what was brought before.
  @usableFromInline final let down: Observer<Element>
  @usableFromInline final let live = Atomic(1)

  @inlinable init(_ down: Observer<Element>) {
    self.down = down
    super.init(down.lifetime)
  }

  /// Runs the source of observables, which counts as one of those that must complete.
  @inlinable final func subscribe<Outer>(
    _ run: (Observer<Outer>) -> Void, _ add: @escaping (Outer) throws -> Void
  ) {
    down.lifetime.run(
      run, next: { outer in do { try add(outer) } catch { self.fail(error) } },
      end: { self.finish($0) })
  }

  /// Runs one more observable.
  @inlinable final func add(_ source: Observable<Element>) {
    switch source.shape {
    case .empty: break
    case .just(let element): deliver(element)
    default:
      live.add(1, ordering: .relaxed)
      let inner = Inner(self)
      source.start(Observer(inner, next: { inner.next($0) }, end: { inner.end($0) }))
      down.lifetime.adopt(inner)
    }
  }

  @inlinable @inline(__always) final func deliver(_ element: Element) {
    switch enter() {
    case .first:
      if !isOver { down.next(element) }
      leave()
    case .nested: if !isOver { down.next(element) }
    case .busy: enqueue { self.down.next(element) }
    }
  }

  @usableFromInline final func fail(_ error: any Error) { run(error, down.end) }

  /// One of those that must complete has ended: an inner observable, or the source of them.
  @usableFromInline final func finish(_ error: (any Error)?) {
    run(error) { error in
      let isLast = self.live.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
      if error != nil || isLast { self.down.end(error) }
    }
  }
}

/// One of a merger's observables: its lifetime and what it delivers to, in one object.
@usableFromInline class Inner<Element>: Lifetime, @unchecked Sendable {
  // Immutable.
  @usableFromInline final let merger: Merger<Element>

  @inlinable init(_ merger: Merger<Element>) {
    self.merger = merger
    super.init(parent: merger.down.lifetime)
  }

  @inlinable final func next(_ element: Element) { if !isClosed { merger.deliver(element) } }

  @usableFromInline final func end(_ error: (any Error)?) { if finish() { ended(error) } }

  /// Called once, after it was let go of.
  @usableFromInline func ended(_ error: (any Error)?) { merger.finish(error) }
}

/// A merger that runs a number of observables at a time and makes the others wait.
@usableFromInline final class BoundedMerger<Element>: Merger<Element>, @unchecked Sendable {
  /// Who runs and who waits.
  private struct Line {
    var waiting = Fifo<Observable<Element>>()
    var free: Int
    var hasFailed = false

    /// `source` when it may run now; otherwise it waits.
    mutating func admit(_ source: Observable<Element>) -> Observable<Element>? {
      if free == 0 {
        waiting.append(source)
        return nil
      }
      free -= 1
      return source
    }

    /// What takes the place of one that has ended.
    mutating func next() -> Observable<Element>? {
      if hasFailed { return nil }
      if let next = waiting.popFirst() { return next }
      free += 1
      return nil
    }
  }

  /// One that runs; its end starts the next one, or the thread that started it when it ended by then:
  /// whoever comes second, so that observables that end at once need no stack.
  private final class Place: Inner<Element>, @unchecked Sendable {
    private let isFirst = Atomic(true)
    private let bounded: BoundedMerger

    init(_ bounded: BoundedMerger) {
      self.bounded = bounded
      super.init(bounded)
    }

    func comesSecond() -> Bool { !isFirst.exchange(false, ordering: .acquiringAndReleasing) }

    override func ended(_ error: (any Error)?) {
      if error != nil { bounded.line.withLock { $0.hasFailed = true } }
      bounded.finish(error)
      if comesSecond() { bounded.start(bounded.line.withLock { $0.next() }) }
    }
  }

  private let line: Locked<Line>

  @usableFromInline init(_ down: Observer<Element>, limit: Int) {
    line = Locked(Line(free: max(1, limit)))
    super.init(down)
  }

  @usableFromInline func lineUp(_ source: Observable<Element>) {
    live.add(1, ordering: .relaxed)
    start(line.withLock { $0.admit(source) })
  }

  /// Starts `source` outside the gate, where nobody has to wait for it, and what follows it.
  private func start(_ source: Observable<Element>?) {
    var next = source
    while let source = next, !down.lifetime.isDisposed {
      let place = Place(self)
      source.start(Observer(place, next: { place.next($0) }, end: { place.end($0) }))
      down.lifetime.adopt(place)
      if !place.comesSecond() { return }
      next = line.withLock { $0.next() }
    }
  }
}
