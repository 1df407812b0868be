import Foundation
import Reactive

extension ObservableConvertibleType {
  /// This observable with functions that block until it has what they return.
  ///
  /// - Parameter timeout: how many seconds they wait before they fail with `RxError.timeout`; nil, the
  ///   default, is without end.
  public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
    BlockingObservable(source: asObservable(), timeout: timeout)
  }
}

/// An observable seen from a thread that waits for it.
///
/// Each function subscribes on the calling thread, blocks it until the answer is known, and disposes of
/// the subscription before it returns, whatever the outcome. On the main thread it runs the main run
/// loop meanwhile, so what is delivered there arrives: drivers, `MainScheduler`, timers.
///
/// ```swift
/// let names = try api.names().toBlocking(timeout: 5).toArray()
/// ```
///
/// In a block of the main queue, and thus in a test of the main actor, nothing else can run on that
/// queue. There a function fails with ``BlockingError/insideMainQueue`` at once, unless everything
/// comes while it subscribes.
///
/// In async code await `values` instead. A blocking function called in a task, as Swift Testing calls
/// every test, takes a thread from the task pool, which has one per core. In a process that runs tests,
/// the tasks of this package (async `create`, `asObservable()` of an async sequence, `.run` effects) have
/// threads of their own and go on; a `Task` that a closure of yours starts waits until a blocking
/// function returns.
public struct BlockingObservable<Element> {
  let source: Observable<Element>
  let timeout: TimeInterval?
}

// Immutable, like the observable it wraps.
extension BlockingObservable: @unchecked Sendable {}

/// Why a blocking function cannot wait.
public enum BlockingError: Error, CustomStringConvertible {
  /// It was called in a block of the main queue, which cannot run anything else until that returns:
  /// call it outside of one or on another thread, or await `values` instead.
  case insideMainQueue

  /// What went wrong and what to do about it.
  public var description: String {
    """
    A blocking function was called in a block of the main queue (or on the main actor), where nothing \
    else can run before it returns: call it on another thread, or await `values` instead.
    """
  }
}

/// What an observable emitted, and how it ended.
public enum MaterializedSequenceResult<Element> {
  /// It completed.
  case completed(elements: [Element])
  /// It failed, or did not end in time.
  case failed(elements: [Element], error: any Error)
}

extension MaterializedSequenceResult: Sendable where Element: Sendable {}

extension BlockingObservable {
  /// All elements, once the observable has completed.
  ///
  /// - Throws: its error; `RxError.timeout`.
  public func toArray() throws -> [Element] { try elements() }

  /// The first element, as soon as there is one; nil when there is none.
  ///
  /// - Throws: an error that comes before the element; `RxError.timeout`.
  public func first() throws -> Element? { try elements(atMost: 1).first }

  /// The last element, once the observable has completed; nil when there is none.
  ///
  /// - Throws: its error; `RxError.timeout`.
  public func last() throws -> Element? { try elements().last }

  /// The only element, once the observable has completed.
  ///
  /// - Throws: its error; `RxError.noElements`; `RxError.moreThanOneElement` as soon as there is a
  ///   second; `RxError.timeout`.
  public func single() throws -> Element { try single { _ in true } }

  /// The only element for which `predicate` returns true, once the observable has completed.
  ///
  /// - Throws: its error, or what `predicate` throws; `RxError.noElements`;
  ///   `RxError.moreThanOneElement` as soon as there is a second; `RxError.timeout`.
  @preconcurrency
  public func single(_ predicate: @escaping @Sendable (Element) throws -> Bool) throws -> Element {
    let elements = try elements(atMost: 2, where: predicate)
    if elements.count > 1 { throw RxError.moreThanOneElement }
    guard let only = elements.first else { throw RxError.noElements }
    return only
  }

  /// All elements and how the observable ended, a timeout being an error.
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

  /// Waits until there are as many elements as asked for, or an end.
  private func collect(
    atMost limit: Int = .max,
    where isIncluded: @escaping (Element) throws -> Bool = { _ in true }
  ) -> MaterializedSequenceResult<Element> {
    let answer = Locked(Answer<Element>())
    let turnstile = Turnstile()
    let subscription = Lifetime()
    let end = { (error: (any Error)?) in
      answer.withLock { $0.end(error) }
      subscription.dispose()
      turnstile.open()
    }
    let observer = subscription.observer(
      next: { element in
        if subscription.isDisposed { return }
        do {
          guard try isIncluded(element) else { return }
          let count = answer.withLock { $0.append(element) }
          if count >= limit { end(nil) }
        } catch { end(error) }
      },
      end: end
    )
    if CurrentThreadScheduler.isScheduleRequired {
      source.start(observer)
    } else {
      // Inside of an operator, what this thread queues runs when the operator returns: after the wait.
      // Another thread starts it instead, and this one leaves the observer alone.
      nonisolated(unsafe) let start = { source.start(observer) }
      DispatchQueue.global().async { start() }
    }
    do { try turnstile.wait(timeout: timeout) } catch { end(error) }
    return answer.withLock { $0.result } ?? .completed(elements: [])
  }
}

/// What was received until the first end, whatever comes later.
private struct Answer<Element> {
  private var elements: [Element] = []
  private(set) var result: MaterializedSequenceResult<Element>?

  /// Returns how many elements there are.
  mutating func append(_ element: Element) -> Int {
    if result == nil { elements.append(element) }
    return elements.count
  }

  mutating func end(_ error: (any Error)?) {
    if result != nil { return }
    result = error.map { .failed(elements: elements, error: $0) } ?? .completed(elements: elements)
  }
}
