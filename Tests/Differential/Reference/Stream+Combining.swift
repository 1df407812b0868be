extension Stream {
  package static func merge(_ sources: [Stream]) -> Stream {
    .producer { sink in
      let group = Disposal()
      // The result completes after the subscriptions to all sources.
      var running = sources.count + 1
      func finish(_ fault: Fault?) {
        if fault == nil { running -= 1 }
        if fault != nil || running == 0 { sink.end(fault) }
      }
      for source in sources where !sink.isOver {
        group.add(source.subscribe(for: sink, next: sink.next, end: finish))
      }
      finish(nil)
      return group
    }
  }

  /// The first source that emits; no further source is subscribed to after that.
  package static func amb(_ sources: [Stream]) -> Stream {
    .producer { sink in
      var winner: Int?
      let entrants = sources.map { _ in Disposal() }
      func wins(_ index: Int) -> Bool {
        if winner == nil {
          winner = index
          for (other, entrant) in entrants.enumerated() where other != index { entrant.dispose() }
        }
        return winner == index
      }
      for (index, source) in sources.enumerated() where !sink.isOver && !entrants[index].isDisposed
      {
        source.subscribe(for: sink, as: entrants[index]) {
          if wins(index) { sink.next($0) }
        } end: {
          if wins(index) { sink.end($0) }
        }
      }
      return Disposal(entrants)
    }
  }

  /// Emits the latest element for each event of `sampler`, its end included.
  package func sample<Other>(_ sampler: Stream<Other>, default: Element? = nil) -> Stream {
    .producer { sink in
      var latest: Element?
      var hasCompleted = false
      func emit() {
        let element = latest ?? `default`
        latest = nil
        if let element { sink.next(element) }
        if hasCompleted { sink.end(nil) }
      }
      let source = subscribe(for: sink) {
        latest = $0
      } end: { fault in
        if fault == nil { hasCompleted = true } else { sink.end(fault) }
      }
      if sink.isOver { return source }
      let ticks = sampler.subscribe(for: sink) { _ in
        emit()
      } end: {
        if $0 == nil { emit() } else { sink.end($0) }
      }
      return Disposal([source, ticks])
    }
  }

  package func withLatestFrom<Other, Result>(
    _ other: Stream<Other>, _ combine: @escaping (Element, Other) throws -> Result
  ) -> Stream<Result> {
    .producer { sink in
      var latest: Other?
      let others = other.subscribe(for: sink) {
        latest = $0
      } end: {
        if let fault = $0 { sink.end(fault) }
      }
      if sink.isOver { return others }
      let source = subscribe(for: sink) { if let latest { sink.next(try combine($0, latest)) } }
      return Disposal([others, source])
    }
  }

  package static func combineLatest<Result>(
    _ sources: [Stream], _ combine: @escaping ([Element]) throws -> Result
  ) -> Stream<Result> {
    .producer { sink in
      var latest = [Element?](repeating: nil, count: sources.count)
      var hasEnded = [Bool](repeating: false, count: sources.count)
      let group = Disposal()
      for (index, source) in sources.enumerated() where !sink.isOver {
        group.add(
          source.subscribe(for: sink) {
            latest[index] = $0
            let elements = latest.compactMap { $0 }
            if elements.count == sources.count { return sink.next(try combine(elements)) }
            // No other source can send the missing element.
            let others = hasEnded.indices.filter { $0 != index }
            if others.allSatisfy({ hasEnded[$0] }) { sink.end(nil) }
          } end: {
            if let fault = $0 { return sink.end(fault) }
            hasEnded[index] = true
            if hasEnded.allSatisfy({ $0 }) { sink.end(nil) }
          })
      }
      return group
    }
  }

  /// - Parameter endsEarly: whether it ends like `zip` of a collection, when all other sources have
  ///   ended and an element makes no result.
  package static func zip<Result>(
    _ sources: [Stream], endsEarly: Bool, _ combine: @escaping ([Element]) throws -> Result
  ) -> Stream<Result> {
    .producer { sink in
      var waiting = [[Element]](repeating: [], count: sources.count)
      var hasEnded = [Bool](repeating: false, count: sources.count)
      let group = Disposal()
      for (index, source) in sources.enumerated() where !sink.isOver {
        group.add(
          source.subscribe(for: sink) {
            waiting[index].append($0)
            if waiting.allSatisfy({ !$0.isEmpty }) {
              let row = waiting.map { $0[0] }
              for index in waiting.indices { waiting[index].removeFirst() }
              return sink.next(try combine(row))
            }
            let others = hasEnded.indices.filter { $0 != index }
            if endsEarly, others.allSatisfy({ hasEnded[$0] }) { sink.end(nil) }
          } end: {
            if let fault = $0 { return sink.end(fault) }
            hasEnded[index] = true
            if hasEnded.allSatisfy({ $0 }) { sink.end(nil) }
          })
      }
      return group
    }
  }
}
