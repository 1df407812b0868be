extension ObservableType {
  /// Emits what `resultSelector` makes of the latest elements, each time one of them changes and
  /// once all are there.
  ///
  /// Completes when all sources have, or when one that has no element yet leaves the result without a
  /// chance. The first error, or one thrown by `resultSelector`, ends it.
  ///
  ///                      -1------2--|
  ///                      ---a--b------|
  ///     combineLatest(+) ---1a-1b2b---|
  @preconcurrency @inlinable
  public static func combineLatest<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
  ) -> Observable<Element> {
    Observable { down in
      let latest = Latest(down, arity: 2)
      let (first, second) = (Cell<O1.Element?>(nil), Cell<O2.Element?>(nil))
      latest.emit = {
        guard let first = first.value, let second = second.value else { return }
        down.attempt { down.next(try resultSelector(first, second)) }
      }
      latest.subscribe(source1, 0, first)
      latest.subscribe(source2, 1, second)
    }
  }

  /// Emits what `resultSelector` makes of the latest elements, each time one of them changes and
  /// once all are there.
  @preconcurrency @inlinable
  public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
  ) -> Observable<Element> {
    Observable { down in
      let latest = Latest(down, arity: 3)
      let (first, second) = (Cell<O1.Element?>(nil), Cell<O2.Element?>(nil))
      let third = Cell<O3.Element?>(nil)
      latest.emit = {
        guard let first = first.value, let second = second.value, let third = third.value else {
          return
        }
        down.attempt { down.next(try resultSelector(first, second, third)) }
      }
      latest.subscribe(source1, 0, first)
      latest.subscribe(source2, 1, second)
      latest.subscribe(source3, 2, third)
    }
  }
}

extension ObservableType where Element == Any {
  /// Emits the latest elements as a tuple, each time one of them changes and once both are there.
  @inlinable public static func combineLatest<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2
  ) -> Observable<(O1.Element, O2.Element)> {
    Observable<(O1.Element, O2.Element)>.combineLatest(source1, source2) { ($0, $1) }
  }

  /// Emits the latest elements as a tuple, each time one of them changes and once all are there.
  @inlinable
  public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
    _ source1: O1, _ source2: O2, _ source3: O3
  ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
    Observable<(O1.Element, O2.Element, O3.Element)>.combineLatest(source1, source2, source3) {
      ($0, $1, $2)
    }
  }
}

/// Which sources of a `combineLatest` have an element and which have ended; for any arity to 64.
@usableFromInline final class Latest: Gate, @unchecked Sendable {
  // All touched only inside the gate; `emit` is set before the first source runs.
  @exclusivity(unchecked) @usableFromInline var emit: () -> Void = {}
  @exclusivity(unchecked) @usableFromInline var present: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var ended: UInt64 = 0
  @usableFromInline let all: UInt64
  @usableFromInline let lifetime: Lifetime
  @usableFromInline let end: ((any Error)?) -> Void

  @inlinable init<Element>(_ down: Observer<Element>, arity: Int) {
    all = arity == 64 ? .max : (1 << UInt64(arity)) - 1
    lifetime = down.lifetime
    end = down.end
    super.init(down.lifetime)
  }

  @inlinable func subscribe<Source: ObservableType>(
    _ source: Source, _ index: Int, _ latest: Cell<Source.Element?>
  ) {
    if lifetime.isDisposed { return }
    let bit: UInt64 = 1 << UInt64(index)
    lifetime.run(
      source.run,
      next: guarded { element in
        latest.value = element
        self.received(bit)
      }, end: guarded { self.sourceEnded(bit, $0) })
  }

  @inlinable func received(_ bit: UInt64) {
    present |= bit
    if present == all { emit() } else if ended | bit == all { end(nil) }
  }

  @usableFromInline func sourceEnded(_ bit: UInt64, _ error: (any Error)?) {
    ended |= bit
    if error != nil || ended == all { end(error) }
  }
}
