extension ObservableConvertibleType where Element: Sendable {
  /// The elements, one after the other, for `for try await`, as long as those that wait fit the buffer.
  ///
  /// As `values`, with a bound for the elements that wait: it subscribes at once, and disposes of the subscription when
  /// the iteration or its task ends or the sequence is released. The end waits behind the elements. When the task is
  /// cancelled the iteration throws `CancellationError`, behind the elements that wait.
  ///
  /// With `suspend` a source that makes elements when it is asked (<doc:Timing>) makes no more than fit. One that works
  /// on the thread of its caller goes on in the task that takes elements; `subscribe(on:)` moves it elsewhere.
  ///
  /// ```swift
  /// for try await page in pages.values(buffer: .bounded(4, .suspend)) { try await store(page) }
  /// ```
  ///
  /// - Parameters:
  ///   - buffer: how many elements may wait, and what happens when one more arrives.
  ///   - onDropped: called with each element that is dropped, with the number of elements that were dropped; on the
  ///     thread that has sent the element which did not fit.
  public func values(
    buffer: BufferingPolicy, onDropped: (@Sendable (_ total: Int) -> Void)? = nil
  ) -> BufferedValues<Element> {
    guard case .bounded(let number, let overflow) = buffer else {
      return BufferedValues(stream: values, level: nil)
    }
    let limit = max(1, number)
    switch overflow {
    case .suspend:
      let level = BufferLevel(limit: limit)
      return BufferedValues(stream: asObservable().suspended(by: level).values, level: level)
    case .dropOldest, .dropNewest:
      let dropped = DropCounter(onDropped)
      let isOldest = overflow == .dropOldest
      return BufferedValues(
        stream: stream(isOldest ? .bufferingNewest(limit) : .bufferingOldest(limit)) {
          if case .dropped = $0 { dropped?.count() }
        }, level: nil)
    case .fail:
      return BufferedValues(
        stream: stream(.bufferingOldest(limit)) {
          if case .dropped = $0 { throw BufferOverflowError(limit: limit) }
        }, level: nil)
    }
  }
}

extension Observable {
  /// The same elements, which `level` counts; their source is suspended while it is full.
  fileprivate func suspended(by level: BufferLevel) -> Observable<Element> {
    Observable { [run] down in
      let source = SuspendableLifetime(parent: down.lifetime, Backpressure(level))
      let next = { (element: Element) in
        level.added()
        down.next(element)
      }
      run(source.observer(next: next, end: down.end))
    }
  }
}

/// The elements of an observable as an async sequence with a bounded buffer: `values(buffer:)`.
///
/// Iterators of one sequence share its elements. Only one task may wait for an element at a time, as with
/// `AsyncThrowingStream`.
public struct BufferedValues<Element: Sendable>: AsyncSequence, Sendable {
  fileprivate let stream: AsyncThrowingStream<Element, any Error>
  fileprivate let level: BufferLevel?

  /// An iteration, from where the others are.
  public func makeAsyncIterator() -> Iterator {
    Iterator(elements: stream.makeAsyncIterator(), level: level)
  }

  /// An iteration.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var elements: AsyncThrowingStream<Element, any Error>.Iterator
    fileprivate let level: BufferLevel?

    /// The next element; nil at the end.
    ///
    /// - Throws: the error of the observable, `BufferOverflowError`, `CancellationError`; nil follows.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      let element = try await elements.next(isolation: actor)
      if element != nil { BufferLevel.resume(level?.removed()) }
      return element
    }
  }
}
