extension Stream {
  package func `catch`(_ handler: @escaping (Fault) throws -> Stream) -> Stream {
    .producer { sink in
      let source = Disposal()
      // The failed stream is disposed of after the subscription to the next one.
      source.add(
        subscribe(for: sink, releasingAfterEnd: true, next: sink.next) { fault in
          guard let fault else { return sink.end(nil) }
          source.add(sink.follow { try handler(fault) })
        })
      return source
    }
  }

  /// RxSwift's tail recursion: the next stream starts when the subscribe call of the previous stream
  /// has returned.
  ///
  /// - Parameters:
  ///   - goesOn: whether the end of a stream starts the next one.
  package static func chain<Sources: Sequence>(
    _ sources: Sources, goesOn: @escaping (Fault?) -> Bool
  ) -> Stream where Sources.Element == Stream {
    .producer { sink in
      var rest = sources.makeIterator()
      var lastEnd: Fault?
      let current = Disposal()
      var isStarting = false
      var isDue = true
      func moveOn() {
        if isStarting { return }
        isStarting = true
        while isDue, !sink.isOver {
          isDue = false
          guard let source = rest.next() else {
            sink.end(lastEnd)
            break
          }
          let subscription = Disposal()
          current.replace(with: subscription)
          subscription.add(
            source.subscribe(for: sink, next: sink.next) { fault in
              lastEnd = fault
              if !goesOn(fault) { return sink.end(fault) }
              isDue = true
              moveOn()
            })
        }
        isStarting = false
      }
      moveOn()
      return current
    }
  }

  package static func concat(_ sources: [Stream]) -> Stream { chain(sources) { $0 == nil } }

  package static func `catch`(sequence: [Stream]) -> Stream { chain(sequence) { $0 != nil } }

  package func retry(_ count: Int) -> Stream {
    .chain(Swift.repeatElement(self, count: count)) { $0 != nil }
  }

  package func retry() -> Stream { .chain(sequence(first: self) { $0 }) { $0 != nil } }

  package func retry<Trigger>(when handler: @escaping (Stream<Fault>) -> Stream<Trigger>) -> Stream
  {
    .producer { sink in
      let errors = Subject<Fault>()
      let notifier = Subject<Trigger>()
      let triggers = handler(errors.stream).subscribe(
        for: sink, next: notifier.next, end: notifier.end)
      let current = Disposal()
      var isStarting = false
      var isDue = true
      func moveOn() {
        if isStarting { return }
        isStarting = true
        while isDue, !sink.isOver {
          isDue = false
          let attempt = Disposal()
          current.replace(with: attempt)
          attempt.add(
            subscribe(for: sink, next: sink.next) { fault in
              guard let fault else { return sink.end(nil) }
              let subscription = Disposal()
              current.replace(with: subscription)
              notifier.stream.subscribe(for: sink, as: subscription) { _ in
                subscription.dispose()
                isDue = true
                moveOn()
              }
              errors.next(fault)
            })
        }
        isStarting = false
      }
      moveOn()
      return Disposal([current, triggers])
    }
  }
}
