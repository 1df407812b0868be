extension ObservableType {
  /// Runs the observables made of each element at once, and emits what they emit one after the other, in order.
  ///
  /// What those behind the first one emit waits, unbounded, until it is their turn. Completes when the source and all
  /// of them have; the first error, or one thrown by `selector`, ends it at once and drops what waits.
  ///
  ///                    -a--b------|
  ///                     -1-----2-|
  ///                        -3-4-|
  ///     concatMapEager --1-----2-(34)-|
  @preconcurrency @inlinable public func concatMapEager<Source: ObservableConvertibleType>(
    _ selector: @escaping @Sendable (Element) throws -> Source
  ) -> Observable<Source.Element> {
    Observable<Source.Element> { [run] down in
      let merger = EagerMerger(down)
      merger.flatten(run, selector)
    }
  }
}

/// A merger that runs all at once and delivers in order.
@usableFromInline
final class EagerMerger<Element>: MergerCore, ObservableMerger, @unchecked Sendable {
  /// What one of them has emitted before its turn.
  private final class Place {
    // Touched only inside the gate.
    @exclusivity(unchecked) var waiting = Fifo<Element>()
    @exclusivity(unchecked) var hasEnded = false
  }

  // `next` is immutable; the rest is touched only inside the gate.
  private let next: (Element) -> Void
  @exclusivity(unchecked) private var isDelivering = false
  @exclusivity(unchecked) private var places = Fifo<Place>()

  @usableFromInline init(_ down: Observer<Element>) {
    next = down.next
    super.init(down.lifetime, down.end)
  }

  /// Runs one more observable.
  @usableFromInline func add(_ source: Observable<Element>) {
    let place = Place()
    live.add(1, ordering: .relaxed)
    run(place) { self.places.append($0) }
    if lifetime.isDisposed { return }
    lifetime.run(
      source.start,
      next: { element in self.run(element) { self.receive($0, in: place) } },
      end: { error in self.run(error) { self.left(place, $0) } })
  }

  private func receive(_ element: Element, in place: Place) {
    guard place === places.first, place.waiting.isEmpty else {
      return place.waiting.append(element)
    }
    // What an observer sends while it is called is nested.
    if isDelivering { next(element) } else { deliver { next(element) } }
  }

  private func left(_ place: Place, _ error: (any Error)?) {
    if let error { return end(error) }
    place.hasEnded = true
    if !isDelivering { deliver {} }
  }

  /// Runs `body`, and then delivers what it is the turn of.
  private func deliver(_ body: () -> Void) {
    isDelivering = true
    body()
    while !isOver, let first = places.first {
      if let element = first.waiting.popFirst() {
        next(element)
      } else if first.hasEnded {
        _ = places.popFirst()
        finish(nil)
      } else {
        break
      }
    }
    isDelivering = false
  }
}
