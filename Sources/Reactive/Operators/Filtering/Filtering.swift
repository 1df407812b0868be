extension ObservableType {
  /// Emits the elements for which `predicate` returns true.
  ///
  /// An error that `predicate` throws ends the result and disposes of the source.
  ///
  ///                       -1--2--3--4-|
  ///     filter { $0 > 2 } -------3--4-|
  @preconcurrency @inlinable public func filter(
    _ predicate: @escaping @Sendable (Element) throws -> Bool
  ) -> Observable<Element> {
    Observable { [run] down in
      run(
        down.with { element in down.attempt { if try predicate(element) { down.next(element) } } })
    }
  }

  /// Emits the elements whose key differs from the previous element's; `comparer` compares keys.
  ///
  /// An error that a closure throws ends the result and disposes of the source.
  @preconcurrency @inlinable public func distinctUntilChanged<Key>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key,
    comparer: @escaping @Sendable (Key, Key) throws -> Bool
  ) -> Observable<Element> { distinct(keySelector, comparer) }

  /// Emits the elements whose key differs from the previous element's.
  @preconcurrency @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Element> { distinct(keySelector, ==) }

  /// Emits the elements that differ from the previous element; `comparer` compares them.
  @preconcurrency @inlinable public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> Observable<Element> { distinct({ $0 }, comparer) }

  /// Emits the elements whose property at `keyPath` differs from the previous element's.
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property> & Sendable
  ) -> Observable<Element> { distinct({ $0[keyPath: keyPath] }, ==) }
}

extension ObservableType where Element: Equatable {
  /// Emits the elements that differ from the previous element.
  ///
  ///                            -a--a--b--b--a-|
  ///     distinctUntilChanged() -a-----b-----a-|
  @inlinable public func distinctUntilChanged() -> Observable<Element> {
    // Without `distinct`, which would cost two closure calls for each element.
    Observable { [run] down in
      let last = Ref<Element?>(nil)
      run(
        down.with { element in
          if last.value == element { return }
          last.value = element
          down.next(element)
        })
    }
  }
}

extension ObservableType {
  @inlinable func distinct<Key>(
    _ keySelector: @escaping (Element) throws -> Key,
    _ areEqual: @escaping (Key, Key) throws -> Bool
  ) -> Observable<Element> {
    Observable { [run] down in
      let last = Ref<Key?>(nil)
      run(
        down.with { element in
          down.attempt {
            let key = try keySelector(element)
            if let last = last.value, try areEqual(last, key) { return }
            last.value = key
            down.next(element)
          }
        })
    }
  }
}

// MARK: - At most one element

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
    return stepping(from: index) { down, remaining, element in
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
    stepping(from: false) { down, isSeen, element in
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

  /// Passes the end, and drops all elements.
  @inlinable public func ignoreElements() -> Observable<Never> {
    Observable<Never> { [run] down in run(down.with { _ in }) }
  }

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
    stepping(from: true) { down, isEmpty, element in
      isEmpty.value = false
      down.next(element)
    } complete: { down, isEmpty in
      if isEmpty { other.start(down) } else { down.end(nil) }
    }
  }
}
