import Foundation
import Reactive

extension ObservableConvertibleType {
  /// This observable with functions that block the calling thread until their result is known.
  ///
  /// - Parameter timeout: maximum wait in seconds from the return of the subscribing call on, after which a
  ///   function throws `RxError.timeout`; nil, the default, waits without a limit.
  public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}

/// Functions that block the calling thread until an observable has delivered their result.
///
/// Each function subscribes on the calling thread or, inside an operator's closure, on another one.
/// It blocks the calling thread until the result is known, and disposes of the subscription before
/// it returns or throws. On the main thread it runs the main
/// run loop while it waits, so that drivers, `MainScheduler` and timers deliver.
///
/// ```swift
/// let names = try api.names().toBlocking(timeout: 5).toArray()
/// ```
///
/// A block of the main queue, and thus a test on the main actor, occupies the main queue. There a
/// function throws ``BlockingError/insideMainQueue`` at once, unless its result is delivered before
/// the subscribing call returns.
///
/// In async code await `values` instead. Swift Testing calls every test in a task. A blocking
/// function in a task occupies a thread of the task pool, which has one thread per core. In a
/// process that runs tests, the tasks of this package (async `create`, `asObservable()` of an async
/// sequence, `.run` effects) run on other threads. A `Task` of your own may have to wait until a
/// blocking function returns.
public struct BlockingObservable<Element> {
  let source: Observable<Element>
  let timeout: TimeInterval?
}

// Immutable, like the observable it wraps.
extension BlockingObservable: @unchecked Sendable {}

/// The reason why a blocking function cannot wait.
public enum BlockingError: Error, CustomStringConvertible {
  /// It was called in a block of the main queue, and no other block can run until this one returns:
  /// call it outside a block or on another thread, or await `values` instead.
  case insideMainQueue

  /// One sentence on what is wrong and what to do.
  public var description: String {
    """
    A blocking function was called in a block of the main queue (or on the main actor), where nothing \
    else can run before it returns: call it on another thread, or await `values` instead.
    """
  }
}

/// The elements of an observable, and how it ended.
public enum MaterializedSequenceResult<Element> {
  /// It completed.
  case completed(elements: [Element])
  /// It failed, or did not end before the timeout.
  case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}

extension BlockingObservable {
  /// All elements, once the observable has completed.
  ///
  /// - Throws: the observable's error; `RxError.timeout`; ``BlockingError``.
  public func toArray() throws -> [Element] { try elements() }

  /// The first element, as soon as it is emitted; nil when the observable completes without one.
  ///
  /// - Throws: an error before the first element; `RxError.timeout`; ``BlockingError``.
  public func first() throws -> Element? { try elements(atMost: 1).first }

  /// The last element, once the observable has completed; nil when there is none.
  ///
  /// - Throws: the observable's error; `RxError.timeout`; ``BlockingError``.
  public func last() throws -> Element? { try elements().last }

  /// The only element, once the observable has completed.
  ///
  /// - Throws: the observable's error; `RxError.noElements`; `RxError.moreThanOneElement` as soon
  ///   as there is a second; `RxError.timeout`; ``BlockingError``.
  public func single() throws -> Element { try single { _ in true } }

  /// The only element for which `predicate` returns true, once the observable has completed.
  ///
  /// - Throws: the observable's error, or that of `predicate`; `RxError.noElements`;
  ///   `RxError.moreThanOneElement` as soon as there is a second; `RxError.timeout`; ``BlockingError``.
  @preconcurrency
  public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
    let elements = try elements(atMost: 2, where: predicate)
    if elements.count > 1 { throw RxError.moreThanOneElement }
    guard let only = elements.first else { throw RxError.noElements }
    return only
  }

  /// All elements and how the observable ended.
  ///
  /// A timeout counts as an error.
  public func materialize() -> MaterializedSequenceResult<Element> { collect() }

  private func elements(
    atMost limit: Int = .max,
    where isIncluded: @escaping (Element) throws -> Bool = { _ in true }
  ) throws -> [Element] {
    switch collect(atMost: limit, where: isIncluded) {
    case .completed(let elements): return elements
    case .failed(_, let error): throw error
    }
  }

  /// Waits until `limit` elements were received, or the observable has ended.
  private func collect(
    atMost limit: Int = .max,
    where isIncluded: @escaping (Element) throws -> Bool = { _ in true }
  ) -> MaterializedSequenceResult<Element> {
    let collected = Locked(CollectedElements<Element>())
    let waiter = BlockingWaiter()
    let subscription = Lifetime()
    let end = { (error: (any Error)?) in
      collected.withLock { $0.end(error) }
      subscription.dispose()
      waiter.signal()
    }
    let observer = subscription.observer(
      next: { element in
        do {
          guard try isIncluded(element) else { return }
          let count = collected.withLock { $0.append(element) }
          if count >= limit { end(nil) }
        } catch { end(error) }
      },
      end: end
    )
    if CurrentThreadScheduler.isScheduleRequired {
      source.start(observer)
    } else {
      // Inside an operator, work that is queued on this thread runs after the operator returns,
      // which is after the wait. So another thread subscribes, and this thread does not use the
      // observer.
      nonisolated(unsafe) let start = { source.start(observer) }
      DispatchQueue.global().async { start() }
    }
    // A timeout, or `insideMainQueue`; an earlier end counts.
    do { try waiter.wait(timeout: timeout) } catch { end(error) }
    guard let result = collected.withLock({ $0.result }) else {
      preconditionFailure("A blocking function returned without an end.")
    }
    return result
  }
}

/// The elements that were received before the first end.
///
/// Ignores everything after the first end.
private struct CollectedElements<Element> {
  private var elements: [Element] = []
  private(set) var result: MaterializedSequenceResult<Element>?

  /// Returns the number of elements.
  mutating func append(_ element: Element) -> Int {
    if result == nil { elements.append(element) }
    return elements.count
  }

  mutating func end(_ error: (any Error)?) {
    if result != nil { return }
    result = error.map { .failed(elements: elements, error: $0) } ?? .completed(elements: elements)
  }
}
