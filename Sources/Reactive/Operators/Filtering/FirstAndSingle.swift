extension ObservableType {
  /// Emits the element at `index`, counted from zero, then completes and disposes of the source.
  ///
  /// Fails with `RxError.argumentOutOfRange` when the source completes earlier. A negative `index`
  /// is a programmer error and traps, as in RxSwift.
  ///
  ///                    -a--b--c-|
  ///     element(at: 1) ----(b|)
  @inlinable public func element(at index: Int) -> Observable<Element> {
    precondition(index >= 0, "element(at:): the index is \(index), and cannot be negative.")
    return stateful(from: index) { down, remaining, element in
      remaining.value -= 1
      if remaining.value == -1 { down.last(element) }
    } complete: { down, _ in
      down.end(RxError.argumentOutOfRange)
    }
  }

  /// Emits the first element, or nil when the source completes without one; disposes of the source.
  public func first() -> Single<Element?> { Single(raw: take(1).map { $0 }.ifEmpty(default: nil)) }

  /// Emits the only element of the source when it arrives.
  ///
  /// Fails with `RxError.moreThanOneElement` at a second element, and with `RxError.noElements`
  /// when the source completes without an element.
  @inlinable public func single() -> Observable<Element> {
    stateful(from: false) { down, isSeen, element in
      if isSeen.value { return down.end(RxError.moreThanOneElement) }
      isSeen.value = true
      down.next(element)
    } complete: { down, isSeen in
      down.end(isSeen ? nil : RxError.noElements)
    }
  }

  /// Emits the only element of the source for which `predicate` returns true, when it arrives.
  ///
  /// Fails like `single()`, and with an error that `predicate` throws.
  @preconcurrency @inlinable public func single(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> { filter(predicate).single() }
}
