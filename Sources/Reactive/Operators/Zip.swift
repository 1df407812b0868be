extension ObservableType {
  /// Emits what `resultSelector` makes of the first elements, then of the second, and so on.
  ///
  /// Elements wait, unbounded, for their partners. Completes when all sources have. The first error,
  /// or one thrown by `resultSelector`, ends it.
  ///
  ///            -1---2------3-|
  ///            ---a--b-|
  ///     zip(+) ---1a-2b------|
  @preconcurrency @inlinable public static func zip<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2,
    resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
  ) -> Observable<Element> {
    Observable { down in
      let zipper = Zipper(down, arity: 2)
      let (first, second) = (Cell(Fifo<O1.Element>()), Cell(Fifo<O2.Element>()))
      zipper.emit = {
        guard let first = first.value.popFirst(), let second = second.value.popFirst() else {
          return
        }
        down.attempt { down.next(try resultSelector(first, second)) }
      }
      zipper.subscribe(source1, 0, first)
      zipper.subscribe(source2, 1, second)
    }
  }
}

extension ObservableType where Element == Any {
  /// Emits the first elements as a tuple, then the second, and so on.
  @inlinable public static func zip<O1: ObservableType, O2: ObservableType>(
    _ source1: O1, _ source2: O2
  ) -> Observable<(O1.Element, O2.Element)> {
    Observable<(O1.Element, O2.Element)>.zip(source1, source2) { ($0, $1) }
  }
}

/// Which sources of a `zip` have elements waiting and which have ended; for any arity to 64.
@usableFromInline final class Zipper: Gate, @unchecked Sendable {
  // All touched only inside the gate; `emit` is set before the first source runs.
  @exclusivity(unchecked) @usableFromInline var emit: () -> Void = {}
  @exclusivity(unchecked) @usableFromInline var waiting: [Int]
  @exclusivity(unchecked) @usableFromInline var empty: Int
  @exclusivity(unchecked) @usableFromInline var running: Int
  @usableFromInline let lifetime: Lifetime
  @usableFromInline let end: ((any Error)?) -> Void

  @inlinable init<Element>(_ down: Observer<Element>, arity: Int) {
    waiting = Array(repeating: 0, count: arity)
    (empty, running) = (arity, arity)
    lifetime = down.lifetime
    end = down.end
    super.init(down.lifetime)
  }

  @inlinable func subscribe<Source: ObservableType>(
    _ source: Source, _ index: Int, _ elements: Cell<Fifo<Source.Element>>
  ) {
    if lifetime.isDisposed { return }
    lifetime.run(
      source.run,
      next: guarded { element in
        elements.value.append(element)
        self.received(index)
      }, end: guarded { self.sourceEnded($0) })
  }

  @inlinable func received(_ index: Int) {
    waiting[index] &+= 1
    if waiting[index] == 1 { empty &-= 1 }
    guard empty == 0 else { return }
    for index in waiting.indices {
      waiting[index] &-= 1
      if waiting[index] == 0 { empty &+= 1 }
    }
    emit()
  }

  @usableFromInline func sourceEnded(_ error: (any Error)?) {
    running -= 1
    if error != nil || running == 0 { end(error) }
  }
}
