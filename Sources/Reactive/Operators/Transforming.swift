#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ObservableType {
  /// Emits what `transform` makes of each element.
  ///
  /// An error thrown by `transform` ends the result with that error and disposes of the source.
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

  /// Emits what `transform` makes of each element, less the nils.
  ///
  /// An error thrown by `transform` ends the result with that error and disposes of the source.
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

  /// Emits what `accumulator` makes of each element and its own result before, beginning with `seed`.
  ///
  /// An error thrown by `accumulator` ends the result with that error and disposes of the source.
  ///
  ///                -1--2--3-|
  ///     scan(0, +) -1--3--6-|
  @preconcurrency @inlinable public func scan<Accumulated>(
    _ seed: Accumulated,
    accumulator: @escaping @Sendable (Accumulated, Element) throws -> Accumulated
  ) -> Observable<Accumulated> {
    stepping(from: seed) { down, accumulated, element in
      // Nothing is held while it is called, which may come here again.
      accumulated.value = try accumulator(accumulated.value, element)
      down.next(accumulated.value)
    }
  }

  /// Emits the value that `accumulator` changes with each element, beginning with `seed`.
  ///
  /// An error thrown by `accumulator` ends the result with that error and disposes of the source.
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

  /// Emits `elements` first, then what the source emits.
  @inlinable public func startWith(_ elements: Element...) -> Observable<Element> {
    Observable { [run] down in
      for element in elements where !down.lifetime.isDisposed { down.next(element) }
      if !down.lifetime.isDisposed { run(down) }
    }
  }
}

// MARK: - Events as elements

extension ObservableType {
  /// Emits every event as an element: an error or a completion too, and completes after it.
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
  /// Emits the events that are the source's elements; an error or a completion among them is the end.
  @inlinable public func dematerialize() -> Observable<Element.Element> {
    Observable<Element.Element> { [run] down in
      let observer = AnyObserver(next: down.next, end: down.end)
      run(down.with { observer.on($0.event) })
    }
  }
}

// MARK: - Data

/// Makes values of data: `JSONDecoder`, `PropertyListDecoder`.
@preconcurrency public protocol DataDecoder: Sendable {
  /// The value of `type` that `data` holds.
  ///
  /// - Throws: when `data` holds none.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

extension ObservableType<Data> {
  /// Emits the values of `type` that `decoder` makes of the source's data.
  ///
  /// An error thrown by `decoder` ends the result with that error and disposes of the source.
  public func decode<Item: Decodable>(type: Item.Type, decoder: some DataDecoder)
    -> Observable<Item>
  {
    Observable<Item> { [run] down in
      run(down.with { data in down.attempt { down.next(try decoder.decode(type, from: data)) } })
    }
  }
}

// MARK: - With an object that may be released

extension ObservableType {
  /// Emits what `resultSelector` makes of `obj` and each element.
  ///
  /// `obj` is held weakly: the first element that comes after its release completes the result and
  /// disposes of the source.
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

  /// Emits `obj` and each element as a tuple; completes as soon as `obj` was released.
  @preconcurrency @inlinable public func withUnretained<Object: AnyObject & Sendable>(_ obj: Object)
    -> Observable<(Object, Element)>
  { withUnretained(obj) { ($0, $1) } }
}
