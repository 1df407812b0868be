/// What a source delivers: elements, then at most one end.
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

/// Whoever a source delivers to.
///
/// RxSwift's sources find out that nobody wants more when the disposal reaches them, which in a
/// subscription that has not returned yet is late. The contract here is stricter: what is over is
/// over for all that is above. So a source can ask.
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

/// An observable: something that can be subscribed to.
package struct Stream<Element> {
  package let subscribe: (Observer<Element>) -> Disposal

  package init(_ subscribe: @escaping (Observer<Element>) -> Disposal) {
    self.subscribe = subscribe
  }

  /// What nearly every operator makes: it runs on the trampoline, and has a sink of its own.
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
  /// Nothing arrives once that is over, nor after this source's own end. Without an `end` the end of
  /// this source is the end of the result, and so is an error that `next` or `end` throws. With one, the
  /// source is released when it has ended: before `end` is called, or after that.
  ///
  /// - Parameter subscription: what is returned, for who disposes of it while this still runs.
  @discardableResult package func subscribe<Result>(
    for sink: Sink<Result>, as subscription: Disposal = Disposal(), releasingAfterEnd: Bool = false,
    next: @escaping (Element) throws -> Void, end: ((Fault?) throws -> Void)? = nil
  ) -> Disposal {
    var hasEnded = false
    let isOver = { hasEnded || subscription.isDisposed || sink.isOver }
    let isReleased = {
      hasEnded && !releasingAfterEnd || subscription.isDisposed || sink.isReleased
    }
    let observer = Observer<Element>(isOver: isOver, isReleased: isReleased) { notification in
      if isOver() { return }
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
  /// Subscribes on behalf of an operator that looks at one element after the other.
  ///
  /// RxSwift asks at each operator whether it has been disposed of. Here only a source does, an operator
  /// of several sources and the observer: when a closure disposes of its own subscription, the closures
  /// below it still see the element that is under way, and the observer does not.
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

/// The end of one operator's work: what is above it is disposed of with it.
package final class Sink<Element> {
  package let disposal = Disposal()
  private let observer: Observer<Element>

  package init(_ observer: Observer<Element>) { self.observer = observer }

  package var isOver: Bool { disposal.isDisposed || observer.isOver() }

  package var isReleased: Bool { disposal.isDisposed || observer.isReleased() }

  /// Forwards an element, also when the closure that computed it has just disposed of everything.
  package func next(_ element: Element) { observer.on(.next(element)) }

  /// Forwards the end, and disposes of what is above after that.
  package func end(_ fault: Fault?) {
    if !isOver { observer.on(.end(fault)) }
    disposal.dispose()
  }

  /// Runs `body`; what it throws is the end.
  package func attempt(_ body: () throws -> Void) {
    do { try body() } catch { end(error as? Fault ?? Fault(-1)) }
  }

  /// The observer of a source whose events are this result's.
  package var forwarding: Observer<Element> {
  /// Subscribes to what `make` returns, unless `make` itself has ended the result.
  ///
  /// RxSwift subscribes even so, and disposes of it at once.
  package func follow(_ make: () throws -> Stream<Element>) -> Disposal {
    var source = Disposal()
    attempt {
      let stream = try make()
      if !isOver { source = stream.pass(to: self, next: next) }
    }
    return source
  }

    Observer(isOver: { self.isOver }, isReleased: { self.isReleased }) { notification in
      switch notification {
      case .next(let element): if !self.isOver { self.next(element) }
      case .end(let fault): self.end(fault)
      }
    }
  }
}
