extension ObservableType {
  /// Runs the observables made of the elements at once, and emits their elements in order.
  ///
  /// Elements of an observable are queued, without a limit, until all previous observables have
  /// completed. Completes when the source and all inner observables have completed. The first
  /// error, or one that `selector` throws, ends the result at once and drops the queued elements.
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

/// A merger that runs all inner observables at once and delivers in their order.
@usableFromInline
final class EagerMerger<Element>: MergerCore, ObservableMerger, @unchecked Sendable {
  /// The elements that an inner observable has emitted before its turn.
  private final class InnerQueue {
    // Touched only inside the gate.
    @exclusivity(unchecked) var waiting = Fifo<Element>()
    @exclusivity(unchecked) var hasEnded = false
  }

  // `next` is immutable; the other fields are touched only inside the gate.
  private let next: (Element) -> Void
  @exclusivity(unchecked) private var isDelivering = false
  @exclusivity(unchecked) private var queues = Fifo<InnerQueue>()

  @usableFromInline init(_ down: Observer<Element>) {
    next = down.next
    super.init(down.lifetime, down.end)
  }

  /// Runs one more observable, whose elements follow those of the previous ones.
  @usableFromInline func add(_ source: Observable<Element>) {
    let queue = InnerQueue()
    live.add(1, ordering: .relaxed)
    run(queue) { self.queues.append($0) }
    if lifetime.isDisposed { return }
    lifetime.run(
      source.start,
      next: { element in self.run(element) { self.receive($0, in: queue) } },
      end: { error in self.run(error) { self.innerEnded(queue, $0) } })
  }

  private func receive(_ element: Element, in queue: InnerQueue) {
    guard queue === queues.first, queue.waiting.isEmpty else {
      return queue.waiting.append(element)
    }
    // An element that the observer sends during a delivery is delivered nested.
    if isDelivering { next(element) } else { deliver { next(element) } }
  }

  private func innerEnded(_ queue: InnerQueue, _ error: (any Error)?) {
    if let error { return end(error) }
    queue.hasEnded = true
    if !isDelivering { deliver {} }
  }

  /// Runs `body`, and then delivers the queued elements whose turn it is.
  private func deliver(_ body: () -> Void) {
    isDelivering = true
    body()
    deliverQueued()
  }

  /// Delivers the queued elements whose turn it is, as entries of the gate.
  ///
  /// Another thread can take over the gate between two elements of such an entry.
  private func deliverQueued() {
    while !isOver, let first = queues.first {
      if !first.waiting.isEmpty { return deliverLater(first, first.waiting.count) }
      guard first.hasEnded else { break }
      _ = queues.popFirst()
      finish(nil)
    }
    isDelivering = false
  }

  private func deliverLater(_ queue: InnerQueue, _ count: Int) {
    var left = count
    queueInside(count) { part in
      for _ in 0..<part {
        if let element = queue.waiting.popFirst(), !self.isOver { self.next(element) }
      }
      left -= part
      if left == 0 { self.deliverQueued() }
    }
  }
}
