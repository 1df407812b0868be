extension ObservableType {
  /// Emits what all `sources` emit, as it comes.
  ///
  /// Completes when all have; the first error ends it and disposes of the others. Sources may emit
  /// from different threads: one element is delivered at a time, and nobody waits.
  ///
  ///           -a-----b--|
  ///           ---1-2------|
  ///     merge -a-1-2-b----|
  @inlinable
  public static func merge<Sources: Collection>(_ sources: Sources) -> Observable<Element>
  where Sources.Element == Observable<Element> {
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
  @inlinable
  public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
    merge(sources[...])
  }

  /// Emits what all `sources` emit, as it comes.
  @inlinable
  public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
    merge(sources[...])
  }

  /// Emits what the observables made of each element emit, as it comes.
  ///
  /// Completes when the source and all of them have; the first error, or one thrown by `selector`,
  /// ends it and disposes of everything.
  @preconcurrency
  @inlinable
  public func flatMap<Source: ObservableConvertibleType>(
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
  @preconcurrency
  @inlinable
  public func concatMap<Source: ObservableConvertibleType>(
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
  @inlinable
  public func merge() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let merger = Merger(down)
      merger.subscribe(run) { merger.add($0.asObservable()) }
    }
  }

  /// Emits what the source's observables emit, at most `maxConcurrent` of them at a time.
  ///
  /// The others wait, unbounded, in the order they came.
  @inlinable
  public func merge(maxConcurrent: Int) -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let merger = BoundedMerger(down, limit: maxConcurrent)
      merger.subscribe(run) { merger.lineUp($0.asObservable()) }
    }
  }

  /// Runs the source's observables one after the other, in order.
  @inlinable
  public func concat() -> Observable<Element.Element> { merge(maxConcurrent: 1) }
}

/// The state of an operator over observables that come as elements: who is still running.
@usableFromInline
class Merger<Element>: Gate, @unchecked Sendable {
  // `live` is touched only inside the gate.
  @usableFromInline final let down: Observer<Element>
  @exclusivity(unchecked) @usableFromInline final var live = 1

  @inlinable
  init(_ down: Observer<Element>) {
    self.down = down
    super.init(down.lifetime)
  }

  /// Runs the source of observables, which counts as one of those that must complete.
  @inlinable
  final func subscribe<Outer>(
    _ run: (Observer<Outer>) -> Void,
    _ add: @escaping (Outer) throws -> Void
  ) {
    down.lifetime.run(
      run,
      next: { outer in
        do { try add(outer) } catch { self.fail(error) }
      },
      end: { self.finish($0) }
    )
  }

  /// Runs one more observable.
  @inlinable
  final func add(_ source: Observable<Element>) {
    switch source.shape {
    case .empty: break
    case .just(let element): deliver(element)
    default:
      run(()) { self.live += 1 }
      let inner = Inner(self)
      source.start(Observer(inner, next: { inner.next($0) }, end: { inner.end($0) }))
      down.lifetime.adopt(inner)
    }
  }

  @inlinable
  @inline(__always)
  final func deliver(_ element: Element) {
    switch enter() {
    case .first:
      if !isOver { down.next(element) }
      leave()
    case .nested: if !isOver { down.next(element) }
    case .busy: enqueue { self.down.next(element) }
    }
  }

  @usableFromInline
  final func fail(_ error: any Error) { run(error, down.end) }

  /// One of those that must complete has ended: an inner observable, or the source of them.
  @usableFromInline
  final func finish(_ error: (any Error)?) {
    run(error) { error in
      self.live -= 1
      if error != nil || self.live == 0 { self.down.end(error) }
    }
  }

  @usableFromInline
  func innerEnded(_ error: (any Error)?) { finish(error) }
}

/// One of a merger's observables: its lifetime and what it delivers to, in one object.
@usableFromInline
final class Inner<Element>: Lifetime, @unchecked Sendable {
  // Immutable.
  @usableFromInline let merger: Merger<Element>

  @inlinable
  init(_ merger: Merger<Element>) {
    self.merger = merger
    super.init(parent: merger.down.lifetime)
  }

  @inlinable
  func next(_ element: Element) {
    if !isClosed { merger.deliver(element) }
  }

  @usableFromInline
  func end(_ error: (any Error)?) {
    if finish() { merger.innerEnded(error) }
  }
}

/// A merger that runs a number of observables at a time and makes the others wait.
@usableFromInline
final class BoundedMerger<Element>: Merger<Element>, @unchecked Sendable {
  // All touched only inside the gate.
  @exclusivity(unchecked) private var waiting = Fifo<Observable<Element>>()
  @exclusivity(unchecked) private var running = 0
  @exclusivity(unchecked) private var isStarting = false
  private let limit: Int

  @usableFromInline
  init(_ down: Observer<Element>, limit: Int) {
    self.limit = max(1, limit)
    super.init(down)
  }

  @usableFromInline
  func lineUp(_ source: Observable<Element>) {
    run(source) {
      self.live += 1
      self.waiting.append($0)
      self.startWaiting()
    }
  }

  @usableFromInline
  override func innerEnded(_ error: (any Error)?) {
    run(error) { error in
      self.running -= 1
      self.finish(error)
      self.startWaiting()
    }
  }

  /// Starts those that may run; in a loop, so that observables that end at once need no stack.
  private func startWaiting() {
    if isStarting { return }
    isStarting = true
    while running < limit, !down.lifetime.isDisposed, let source = waiting.popFirst() {
      running += 1
      let inner = Inner<Element>(self)
      source.start(Observer(inner, next: { inner.next($0) }, end: { inner.end($0) }))
      down.lifetime.adopt(inner)
    }
    isStarting = false
  }
}
