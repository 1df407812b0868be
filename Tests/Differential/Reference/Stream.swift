/// An event of a source: elements, then at most one end.
package enum Notification<Element> {
  case next(Element)
  /// nil is completion.
  case end(Fault?)
}

/// The only kind of error.
package struct Fault: Error, Hashable {
  package let code: Int

  package init(_ code: Int) { self.code = code }

  package static let timeout = Fault(101)
  package static let noElements = Fault(102)
  package static let moreThanOneElement = Fault(103)
  package static let argumentOutOfRange = Fault(104)
}

/// An observer of a source.
///
/// RxSwift's sources stop when the disposal reaches them, which is late in a subscription that has
/// not returned yet. The contract of `Reactive` is stricter: an end applies to all operators upstream
/// at once. Therefore a source can check for the end.
package struct Observer<Element> {
  package let isOver: () -> Bool
  /// Whether its subscription is disposed of, or will be as soon as it is returned.
  ///
  /// What is over is usually released as well. The source of a `catch` is over when it has failed, and
  /// released when the next source has been subscribed to.
  package let isReleased: () -> Bool
  package let on: (Notification<Element>) -> Void

  /// - Parameter isReleased: the same as `isOver` by default
  package init(
    isOver: @escaping () -> Bool, isReleased: (() -> Bool)? = nil,
    on: @escaping (Notification<Element>) -> Void
  ) {
    self.isOver = isOver
    self.isReleased = isReleased ?? isOver
    self.on = on
  }

  package func next(_ element: Element) { if !isOver() { on(.next(element)) } }

  package func end(_ fault: Fault?) { if !isOver() { on(.end(fault)) } }
}

/// An observable.
package struct Stream<Element> {
  package let subscribe: (Observer<Element>) -> Disposal

  package init(_ subscribe: @escaping (Observer<Element>) -> Disposal) {
    self.subscribe = subscribe
  }

  /// The stream of most operators: runs on the trampoline, and has its own sink.
  package static func producer(_ run: @escaping (Sink<Element>) -> Disposal) -> Stream {
    Stream { observer in
      Trampoline.enter {
        let sink = Sink(observer)
        sink.disposal.add(run(sink))
        return sink.disposal
      }
    }
  }

  /// Subscribes on behalf of an operator whose result goes to `sink`.
  ///
  /// No event arrives after the end of `sink` or of this source. Without an `end` closure the end of
  /// this source ends the result, and so does an error that `next` or `end` throws. With an `end`
  /// closure, the source is released at its end, before or after the call of `end`.
  ///
  /// - Parameters:
  ///   - subscription: the result, for disposal during this call.
  ///   - whileEnding: whether `next` receives elements while the end of the result is delivered.
  @discardableResult package func subscribe<Result>(
    for sink: Sink<Result>, as subscription: Disposal = Disposal(), releasingAfterEnd: Bool = false,
    whileEnding: Bool = false, next: @escaping (Element) throws -> Void,
    end: ((Fault?) throws -> Void)? = nil
  ) -> Disposal {
    var hasEnded = false
    // A source continues until it is released: when another source of the same operator has failed
    // and a `catch` below subscribes to the next, the closures above still receive its elements, as
    // in RxSwift.
    let isOver = { hasEnded || subscription.isDisposed || sink.isReleased }
    let isReleased = {
      hasEnded && !releasingAfterEnd || subscription.isDisposed || sink.isReleased
    }
    let observer = Observer<Element>(isOver: isOver, isReleased: isReleased) { notification in
      if isOver() || sink.isOver && !whileEnding { return }
      sink.attempt {
        switch notification {
        case .next(let element): try next(element)
        case .end(let fault):
          guard let end else { return sink.end(fault) }
          hasEnded = true
          if !releasingAfterEnd { subscription.dispose() }
          try end(fault)
          subscription.dispose()
        }
      }
    }
    subscription.add(subscribe(observer))
    return subscription
  }
}

extension Stream {
  /// Subscribes on behalf of an operator that handles each element separately.
  ///
  /// RxSwift checks for disposal in each operator. Here only sources, operators of several sources
  /// and observers do: when a closure disposes of its own subscription, the closures downstream
  /// receive the current element, and the observer does not.
  package func pass<Result>(to sink: Sink<Result>, next: @escaping (Element) throws -> Void)
    -> Disposal
  {
    let observer = Observer<Element>(
      isOver: { sink.isOver }, isReleased: { sink.isReleased }
    ) { notification in
      switch notification {
      case .next(let element): sink.attempt { try next(element) }
      case .end(let fault): sink.end(fault)
      }
    }
    return subscribe(observer)
  }
}

/// The sink of an operator; its end disposes of the upstream.
package final class Sink<Element> {
  package let disposal = Disposal()
  private let observer: Observer<Element>

  package init(_ observer: Observer<Element>) { self.observer = observer }

  package var isOver: Bool { disposal.isDisposed || observer.isOver() }

  package var isReleased: Bool { disposal.isDisposed || observer.isReleased() }

  /// Forwards an element, also when the closure that computed it has disposed of the subscription.
  package func next(_ element: Element) { observer.on(.next(element)) }

  /// Forwards the end, then disposes of the upstream.
  package func end(_ fault: Fault?) {
    if !isOver { observer.on(.end(fault)) }
    disposal.dispose()
  }

  /// Runs `body`; a thrown error ends the stream.
  package func attempt(_ body: () throws -> Void) {
    do { try body() } catch { end(error as? Fault ?? Fault(-1)) }
  }

  /// Subscribes to the stream that `make` returns, unless `make` has ended the result.
  ///
  /// RxSwift subscribes in that case too, and disposes of the subscription at once.
  package func follow(_ make: () throws -> Stream<Element>) -> Disposal {
    var source = Disposal()
    attempt {
      let stream = try make()
      if !isOver { source = stream.pass(to: self, next: next) }
    }
    return source
  }

  /// An observer that forwards all events of a source.
  package var forwarding: Observer<Element> {
    Observer(isOver: { self.isOver }, isReleased: { self.isReleased }) { notification in
      switch notification {
      case .next(let element): if !self.isOver { self.next(element) }
      case .end(let fault): self.end(fault)
      }
    }
  }
}
