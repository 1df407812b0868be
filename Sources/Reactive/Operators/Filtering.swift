extension ObservableType {
  /// Emits the elements for which `predicate` returns true.
  ///
  /// An error thrown by `predicate` ends the result with that error and disposes of the source.
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

  /// Emits the first `count` elements, then completes and disposes of the source.
  ///
  /// A `count` of zero completes at once, without subscribing to the source; a negative one is a
  /// programmer's error and traps, as in RxSwift.
  ///
  ///             -a--b--c-|
  ///     take(2) -a--(b|)
  @inlinable public func take(_ count: Int) -> Observable<Element> {
    precondition(count >= 0, "take: count is \(count), and cannot be negative.")
    if count == 0 { return .empty() }
    return Observable { [run] down in
      let left = Cell(count)
      run(
        down.with { element in
          guard left.value > 0 else { return }
          left.value -= 1
          if left.value > 0 { down.next(element) } else { down.last(element) }
        })
    }
  }

  /// Emits all but the first `count` elements; a `count` of zero or less skips nothing.
  @inlinable public func skip(_ count: Int) -> Observable<Element> {
    Observable { [run] down in
      let left = Cell(count)
      run(
        down.with { element in if left.value > 0 { left.value -= 1 } else { down.next(element) } })
    }
  }

  /// Emits the elements whose key differs from the key before, as `comparer` sees it.
  ///
  /// An error thrown by a closure ends the result with that error and disposes of the source.
  @preconcurrency @inlinable public func distinctUntilChanged<Key>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key,
    comparer: @escaping @Sendable (Key, Key) throws -> Bool
  ) -> Observable<Element> { distinct(keySelector, comparer) }

  /// Emits the elements whose key differs from the key before.
  @preconcurrency @inlinable public func distinctUntilChanged<Key: Equatable>(
    _ keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Element> { distinct(keySelector, ==) }

  /// Emits the elements that differ from the element before, as `comparer` sees it.
  @preconcurrency @inlinable public func distinctUntilChanged(
    _ comparer: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> Observable<Element> { distinct({ $0 }, comparer) }

  /// Emits the elements whose property at `keyPath` differs from that of the element before.
  @inlinable public func distinctUntilChanged<Property: Equatable>(
    at keyPath: KeyPath<Element, Property> & Sendable
  ) -> Observable<Element> { distinct({ $0[keyPath: keyPath] }, ==) }
}

extension ObservableType where Element: Equatable {
  /// Emits the elements that differ from the element before.
  ///
  ///                            -a--a--b--b--a-|
  ///     distinctUntilChanged() -a-----b-----a-|
  @inlinable public func distinctUntilChanged() -> Observable<Element> { distinct({ $0 }, ==) }
}

extension ObservableType {
  @inlinable func distinct<Key>(
    _ keySelector: @escaping (Element) throws -> Key,
    _ areEqual: @escaping (Key, Key) throws -> Bool
  ) -> Observable<Element> {
    Observable { [run] down in
      let last = Cell<Key?>(nil)
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
