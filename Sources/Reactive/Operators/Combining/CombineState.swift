/// The state of `combineLatest` and `zip`.
///
/// It knows which sources have something for the next element, and which of them still run.
@usableFromInline final class CombineState: SerialGate, @unchecked Sendable {
  /// The state of one source.
  @usableFromInline class SourceState {
    // Touched only inside the gate.
    @exclusivity(unchecked) @usableFromInline final var hasElement = false
    @exclusivity(unchecked) @usableFromInline final var hasEnded = false

    @inlinable init() {}
  }

  /// A source whose latest element is used.
  @usableFromInline final class Latest<Element>: SourceState {
    // Initialized while `hasElement` is true. Not an optional, which would copy a large element
    // once more at each write and each read.
    @usableFromInline let place = UnsafeMutablePointer<Element>.allocate(capacity: 1)

    @inlinable override init() { super.init() }

    @inlinable deinit {
      if hasElement { place.deinitialize(count: 1) }
      place.deallocate()
    }

    /// Replaces the latest element; the caller notes in `received` that there is one.
    @inlinable func keep(_ element: Element) {
      if hasElement { place.pointee = element } else { place.initialize(to: element) }
    }

    /// Returns the latest element; every source must have one.
    @inlinable func callAsFunction() -> Element {
      precondition(hasElement, "combineLatest emits too early.")
      return place.pointee
    }
  }

  /// A source whose elements are queued until the other sources have theirs.
  @usableFromInline final class Queue<Element>: SourceState {
    @exclusivity(unchecked) @usableFromInline var waiting = Fifo<Element>()
    @usableFromInline let missing: Ref<Int>

    @inlinable init(_ missing: Ref<Int>) { self.missing = missing }

    /// Removes and returns the oldest queued element; every source must have one.
    @inlinable func callAsFunction() -> Element {
      guard let first = waiting.popFirst() else { preconditionFailure("zip emits too early.") }
      hasElement = !waiting.isEmpty
      if !hasElement { missing.value &+= 1 }
      return first
    }
  }

  // Set before the first source runs, and then touched only inside the gate.
  @exclusivity(unchecked) @usableFromInline var running = 0
  @exclusivity(unchecked) @usableFromInline var endsEarly = true
  @exclusivity(unchecked) @usableFromInline var starts: [(_ emit: @escaping () -> Void) -> Void] =
    []
  @usableFromInline let missing = Ref(0)
  @usableFromInline let lifetime: Lifetime
  @usableFromInline let end: ((any Error)?) -> Void

  @inlinable init(_ lifetime: Lifetime, _ end: @escaping ((any Error)?) -> Void) {
    self.lifetime = lifetime
    self.end = end
    super.init(lifetime)
  }

  /// Adds a source whose latest element is used.
  @inlinable func latest<S: ObservableConvertibleType>(_ source: S) -> Latest<S.Element> {
    let latest = Latest<S.Element>()
    add(source, latest) { latest.keep($0) }
    return latest
  }

  /// Adds a source whose elements are queued.
  ///
  /// As in RxSwift, `zip` with a fixed number of sources waits for the end of all of them, even
  /// when no further element can follow.
  @inlinable func queue<S: ObservableConvertibleType>(_ source: S) -> Queue<S.Element> {
    let queue = Queue<S.Element>(missing)
    endsEarly = false
    add(source, queue) { queue.waiting.append($0) }
    return queue
  }

  @inlinable @inline(__always) func add<S: ObservableConvertibleType>(
    _ source: S, _ sourceState: SourceState, _ keep: @escaping (S.Element) -> Void
  ) {
    missing.value += 1
    running += 1
    starts.append { emit in
      let receive = { (element: S.Element) in
        keep(element)
        self.received(sourceState, emit)
      }
      self.lifetime.run(
        source.asObservable().run,
        receiving: { source in { if !source.isClosed { self.run($0, receive) } } },
        end: self.guarded { self.ended(sourceState, $0) })
    }
  }

  /// Runs the sources; `emit` is called at each element while all sources have one.
  @inlinable func run(_ emit: @escaping () -> Void) {
    let starts = self.starts
    self.starts = []
    for start in starts where !lifetime.isDisposed { start(emit) }
  }

  @inlinable func received(_ source: SourceState, _ emit: () -> Void) {
    if !source.hasElement {
      source.hasElement = true
      missing.value &-= 1
    }
    if missing.value == 0 { return emit() }
    // The other sources have ended, so no element of the result can follow.
    if endsEarly, running == (source.hasEnded ? 0 : 1) { end(nil) }
  }

  @usableFromInline func ended(_ source: SourceState, _ error: (any Error)?) {
    // An error does not count as a completion: while it is delivered, the others may complete.
    if error != nil { return end(error) }
    source.hasEnded = true
    running -= 1
    if running == 0 { end(nil) }
  }
}
