#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ObservableType {
  /// Emits the result of `transform` for each element.
  ///
  /// An error that `transform` throws ends the result and disposes of the source.
  ///
  ///                -1--2--3-|
  ///     map { $0*2 } -2--4--6-|
  @preconcurrency @inlinable public func map<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      run(down.with { element in down.attempt { down.next(try transform(element)) } })
    }
  }

  /// Emits the result of `transform` for each element, except nil.
  ///
  /// An error that `transform` throws ends the result and disposes of the source.
  @preconcurrency @inlinable public func compactMap<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result?
  ) -> Observable<Result> {
    Observable<Result> { [run] down in
      run(
        down.with { element in
          down.attempt { if let result = try transform(element) { down.next(result) } }
        })
    }
  }

  /// Emits the result of `accumulator` for the previous result, at first `seed`, and each element.
  ///
  /// An error that `accumulator` throws ends the result and disposes of the source.
  ///
  ///                -1--2--3-|
  ///     scan(0, +) -1--3--6-|
  @preconcurrency @inlinable public func scan<Accumulated>(
    _ seed: Accumulated,
    accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    stepping(from: seed) { down, accumulated, element in
      // `value` is not accessed during the call, which may emit to this operator again.
      accumulated.value = try accumulator(accumulated.value, element)
      down.next(accumulated.value)
    }
  }

  /// Emits a value, at first `seed`, after each change that `accumulator` makes for an element.
  ///
  /// An error that `accumulator` throws ends the result and disposes of the source. `accumulator`
  /// must not send to the source, which would change the value within a change: that traps, as in
  /// RxSwift.
  @preconcurrency @inlinable public func scan<Accumulated>(
    into seed: Accumulated,
    accumulator: @escaping @Sendable (inout Accumulated, Element) throws -> Void
  ) -> Observable<Accumulated> {
    Observable<Accumulated> { [run] down in
      var accumulated = seed
      run(
        down.with { element in
          down.attempt {
            try accumulator(&accumulated, element)
            down.next(accumulated)
          }
        })
    }
  }

  /// Emits each element with its number, counted from zero.
  ///
  ///                  -a------b------c------|
  ///     enumerated() -(0, a)-(1, b)-(2, c)-|
  @inlinable public func enumerated() -> Observable<(index: Int, element: Element)> {
    stepping(from: 0) { down, count, element in
      let index = count.value
      count.value += 1
      down.next((index, element))
    }
  }

  /// Emits `elements` first, then the elements of the source.
  @inlinable public func startWith(_ elements: Element...) -> Observable<Element> {
    Observable { [run] down in
      for element in elements where !down.lifetime.isDisposed { down.next(element) }
      if !down.lifetime.isDisposed { run(down) }
    }
  }
}

// MARK: - Events as elements

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

// MARK: - Data

/// A decoder of data, such as `JSONDecoder` or `PropertyListDecoder`.
@preconcurrency public protocol DataDecoder: Sendable {
  /// Returns the value of `type` that `data` represents.
  ///
  /// - Throws: error when `data` does not represent such a value.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

extension ObservableType<Data> {
  /// Emits the values of `type` that `decoder` decodes from the source's data.
  ///
  /// An error that `decoder` throws ends the result and disposes of the source.
  public func decode<Item: Decodable>(type: Item.Type, decoder: some DataDecoder)
    -> Observable<Item>
  {
    Observable<Item> { [run] down in
      run(down.with { data in down.attempt { down.next(try decoder.decode(type, from: data)) } })
    }
  }
}

// MARK: - Weakly held objects

extension ObservableType {
  /// Emits the result of `resultSelector` for `obj` and each element.
  ///
  /// `obj` is held weakly. The first element that arrives after its release completes the result
  /// and disposes of the source.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject & Sendable, Out>(
    _ obj: Object, resultSelector: @escaping @Sendable ((Object, Element)) -> Out
  ) -> Observable<Out> {
    Observable<Out> { [run, weak obj] down in
      run(
        down.with { [weak obj] element in
          if let obj { down.next(resultSelector((obj, element))) } else { down.end(nil) }
        })
    }
  }

  /// Emits `obj`, which is held weakly, and each element as a tuple.
  ///
  /// The first element that arrives after the release of `obj` completes the result.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject & Sendable>(_ obj: Object)
    -> Observable<(Object, Element)>
  { withUnretained(obj) { ($0, $1) } }
}
