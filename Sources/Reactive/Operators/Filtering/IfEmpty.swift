extension ObservableType {
  /// Emits `default` before the completion when the source has emitted nothing.
  ///
  ///                         ------|
  ///     ifEmpty(default: a) ------(a|)
  @inlinable public func ifEmpty(default: Element) -> Observable<Element> {
    ifEmpty(switchTo: .just(`default`))
  }

  /// Continues with `other` when the source completes without an element.
  ///
  ///                          ---|
  ///     other                   -a--b-|
  ///     ifEmpty(switchTo:)   ----a--b-|
  @inlinable public func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
    stateful(from: true) { down, isEmpty, element in
      isEmpty.value = false
      down.next(element)
    } complete: { down, isEmpty in
      if isEmpty { other.start(down) } else { down.end(nil) }
    }
  }
}
