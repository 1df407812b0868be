extension ObservableType {
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
