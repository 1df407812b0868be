// How an operator runs a source whose end it does not pass straight on.
extension Lifetime {
  /// Runs `source` in a child, for an operator that does not pass its source's end straight on.
  ///
  /// `end` is called once, even if the source ends more than once, and after the child has disposed
  /// of its resources.
  @inlinable package final func run<Element>(
    _ source: (Observer<Element>) -> Void, next: @escaping (Element) -> Void,
    end: @escaping ((any Error)?) -> Void
  ) { source(child().observer(next: next, end: end)) }

  /// Runs `source` in a child like `run(_:next:end:)`, with one closure less for each element.
  ///
  /// - Parameter next: makes the closure that receives each element; that closure checks whether
  ///   the child is closed
  @inlinable package final func run<Element>(
    _ source: (Observer<Element>) -> Void, receiving next: (_ child: Lifetime) -> (Element) -> Void,
    end: @escaping ((any Error)?) -> Void
  ) {
    let child = self.child()
    source(Observer(child, next: next(child), end: child.finishing(end)))
  }

  /// Returns an observer whose first end finishes this lifetime and then calls `end`.
  ///
  /// The observer drops the elements that arrive after that.
  @inlinable package final func observer<Element>(
    next: @escaping (Element) -> Void, end: @escaping ((any Error)?) -> Void
  ) -> Observer<Element> {
    // A closure of the source may have closed this lifetime while it handled this very element.
    Observer(self, next: { if !self.isClosed { next($0) } }, end: finishing(end))
  }

  /// Returns a closure that finishes this lifetime and calls `end`; later calls do nothing.
  @inlinable final func finishing(_ end: @escaping ((any Error)?) -> Void) -> ((any Error)?) -> Void
  { { if self.finish() { end($0) } } }
}
