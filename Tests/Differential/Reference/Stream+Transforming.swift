extension Stream {
  package func map<Result>(_ transform: @escaping (Element) throws -> Result) -> Stream<Result> {
    .producer { sink in pass(to: sink) { sink.next(try transform($0)) } }
  }

  package func compactMap<Result>(_ transform: @escaping (Element) throws -> Result?) -> Stream<
    Result
  > {
    .producer { sink in
      pass(to: sink) { if let result = try transform($0) { sink.next(result) } }
    }
  }

  package func filter(_ isIncluded: @escaping (Element) throws -> Bool) -> Stream {
    .producer { sink in pass(to: sink) { if try isIncluded($0) { sink.next($0) } } }
  }

  package func scan<Result>(
    _ seed: Result, _ accumulate: @escaping (Result, Element) throws -> Result
  )
    -> Stream<Result>
  {
    .producer { sink in
      var accumulated = seed
      return pass(to: sink) {
        accumulated = try accumulate(accumulated, $0)
        sink.next(accumulated)
      }
    }
  }

  package func reduce<Result>(
    _ seed: Result, _ accumulate: @escaping (Result, Element) throws -> Result
  )
    -> Stream<Result>
  {
    .producer { sink in
      var accumulated = seed
      // An observer of the error that `accumulate` throws may send an element to this source.
      return subscribe(for: sink, whileEnding: true) {
        accumulated = try accumulate(accumulated, $0)
      } end: { fault in
        if fault == nil { sink.next(accumulated) }
        sink.end(fault)
      }
    }
  }

  package func toArray() -> Stream<[Element]> { reduce([]) { $0 + [$1] } }

  package func enumerated() -> Stream<(index: Int, element: Element)> {
    .producer { sink in
      var index = 0
      return pass(to: sink) {
        index += 1
        sink.next((index - 1, $0))
      }
    }
  }

  package func startWith(_ elements: [Element]) -> Stream {
    .producer { sink in
      for element in elements where !sink.isOver { sink.next(element) }
      // RxSwift subscribes nevertheless, and disposes at once.
      if sink.isOver { return Disposal() }
      return pass(to: sink, next: sink.next)
    }
  }

  package func materialize() -> Stream<Notification<Element>> {
    .producer { sink in
      subscribe(for: sink) {
        sink.next(.next($0))
      } end: {
        sink.next(.end($0))
        sink.end(nil)
      }
    }
  }

  package func dematerialize<Value>() -> Stream<Value> where Element == Notification<Value> {
    .producer { sink in
      pass(to: sink) {
        switch $0 {
        case .next(let element): sink.next(element)
        case .end(let fault): sink.end(fault)
        }
      }
    }
  }

  package func distinctUntilChanged<Key>(
    _ key: @escaping (Element) throws -> Key, _ areEqual: @escaping (Key, Key) throws -> Bool
  ) -> Stream {
    .producer { sink in
      var last: Key?
      return pass(to: sink) {
        let key = try key($0)
        if let last, try areEqual(last, key) { return }
        last = key
        sink.next($0)
      }
    }
  }

  package func `do`(
    onNext: @escaping (Element) throws -> Void, afterNext: @escaping (Element) throws -> Void,
    onEnd: @escaping (Fault?) throws -> Void, afterEnd: @escaping (Fault?) throws -> Void,
    onSubscribe: @escaping () -> Void, onSubscribed: @escaping () -> Void,
    onDispose: @escaping () -> Void
  ) -> Stream {
    .producer { sink in
      onSubscribe()
      let observer = Observer<Element>(
        isOver: { sink.isOver }, isReleased: { sink.isReleased }
      ) { notification in
        sink.attempt {
          switch notification {
          case .next(let element):
            try onNext(element)
            // When the closure has ended the stream, neither the event nor later ones are sent.
            if sink.isOver { return }
            sink.next(element)
            try afterNext(element)
          case .end(let fault):
            if sink.isOver { return }
            try onEnd(fault)
            sink.end(fault)
            try afterEnd(fault)
          }
        }
      }
      let source = subscribe(observer)
      onSubscribed()
      return Disposal([source, Disposal(onDispose)])
    }
  }
}
