extension ObservableConvertibleType where Element: Sendable {
  /// The elements as an async sequence with a buffer of limited size.
  ///
  /// Like `values`, but with a limit for the buffered elements. The sequence subscribes at once. The
  /// subscription ends with the observable, when a task that waits for an element is cancelled, or
  /// when the sequence and its iterators are released. The end is delivered after the buffered elements. When the task is cancelled, the
  /// iteration throws `CancellationError` after the buffered elements.
  ///
  /// With `suspend`, a source that makes elements on demand (<doc:Timing>) makes only as many as
  /// fit. A source that works on the thread of its caller resumes in the task that takes elements;
  /// `subscribe(on:)` moves the source to another thread.
  ///
  /// ```swift
  /// for try await page in pages.values(buffer: .bounded(4, .suspend)) { try await store(page) }
  /// ```
  ///
  /// - Parameters:
  ///   - buffer: number of elements that may be buffered, and treatment of further ones
  ///   - onDropped: called for each dropped element with the number of elements dropped so far, on
  ///     the thread that sent the element which did not fit; nil by default
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
  /// Returns the same elements, counted by `level`; the source is suspended while `level` is full.
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

/// The elements of an observable as an async sequence with a limited buffer: `values(buffer:)`.
///
/// The iterators of one sequence share its elements. Only one task at a time may await an element,
/// as with `AsyncThrowingStream`.
public struct BufferedValues<Element: Sendable>: AsyncSequence, Sendable {
  fileprivate let stream: AsyncThrowingStream<Element, any Error>
  fileprivate let level: BufferLevel?

  /// Returns an iterator, which continues where the other iterators of this sequence are.
  public func makeAsyncIterator() -> Iterator {
    Iterator(elements: stream.makeAsyncIterator(), level: level)
  }

  /// An iterator of buffered elements.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var elements: AsyncThrowingStream<Element, any Error>.Iterator
    fileprivate let level: BufferLevel?

    /// Returns the next element; nil at the end.
    ///
    /// - Throws: error of the observable, `BufferOverflowError` or `CancellationError`; the next
    ///   call returns nil.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> Element? {
      let element = try await elements.next(isolation: actor)
      if element != nil { BufferLevel.resume(level?.removed()) }
      return element
    }
  }
}
