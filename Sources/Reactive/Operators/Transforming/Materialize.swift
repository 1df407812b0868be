extension ObservableType {
  /// Emits every event as an element, including the terminal, and completes after it.
  ///
  ///                   -a-------b-------x
  ///     materialize() -next(a)-next(b)-(error, |)
  @inlinable public func materialize() -> Observable<Event<Element>> {
    Observable<Event<Element>> { [run] down in
      down.lifetime.run(
        run, next: { down.next(.next($0)) }, end: { down.last(Event<Element>.end($0)) })
    }
  }
}

extension ObservableType where Element: EventConvertible {
  /// Emits the events that the source's elements represent.
  ///
  /// An error or a completion among them ends the result.
  @inlinable public func dematerialize() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let observer = AnyObserver(next: down.next, end: down.end)
      run(down.with { observer.on($0.event) })
    }
  }
}
