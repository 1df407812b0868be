extension Stream {
  package func flatMap<Result>(_ selector: @escaping (Element) throws -> Stream<Result>) -> Stream<
    Result
  > {
    flattening(atMost: .max, drops: false, selector)
  }

  /// Drops elements while an inner stream runs, without a call of `selector`.
  package func flatMapFirst<Result>(_ selector: @escaping (Element) throws -> Stream<Result>)
    -> Stream<Result>
  { flattening(atMost: .max, drops: true, selector) }

  /// Queues streams while the maximum number runs.
  package func merging<Result>(
    atMost limit: Int, _ selector: @escaping (Element) throws -> Stream<Result>
  ) -> Stream<Result> { flattening(atMost: limit, drops: false, selector) }

  private func flattening<Result>(
    atMost limit: Int, drops: Bool, _ selector: @escaping (Element) throws -> Stream<Result>
  ) -> Stream<Result> {
    .producer { sink in
      var running = 0
      var waiting: [Stream<Result>] = []
      var hasEnded = false
      let group = Disposal()

      func run(_ inner: Stream<Result>) {
        if sink.isOver { return }
        group.add(
          inner.subscribe(for: sink, next: sink.next) { fault in
            if let fault { return sink.end(fault) }
            if !waiting.isEmpty {
              let next = waiting.removeFirst()
              return Trampoline.schedule { run(next) }
            }
            running -= 1
            if hasEnded, running == 0 { sink.end(nil) }
          })
      }

      group.add(
        subscribe(for: sink) { element in
          if drops, running > 0 { return }
          // RxSwift's merge(maxConcurrent:) checks the limit before the selector call, and
          // queues this stream even when the selector ends the running one.
          let inner = try selector(element)
          if running == limit { return waiting.append(inner) }
          running += 1
          run(inner)
        } end: { fault in
          if let fault { return sink.end(fault) }
          hasEnded = true
          if running == 0 { sink.end(nil) }
        })
      return group
    }
  }

  package func flatMapLatest<Result>(_ selector: @escaping (Element) throws -> Stream<Result>)
    -> Stream<Result>
  {
    .producer { sink in
      var latest = 0
      var isRunning = false
      var hasEnded = false
      let inner = Disposal()
      let source = subscribe(for: sink) { element in
        let stream = try selector(element)
        if sink.isOver { return }
        latest += 1
        isRunning = true
        let mine = latest
        // The previous stream is disposed of first.
        let subscription = Disposal()
        inner.replace(with: subscription)
        stream.subscribe(for: sink, as: subscription, next: sink.next) { fault in
          if let fault { return sink.end(fault) }
          if mine == latest { isRunning = false }
          if hasEnded, !isRunning { sink.end(nil) }
        }
      } end: { fault in
        if let fault { return sink.end(fault) }
        hasEnded = true
        if !isRunning { sink.end(nil) }
      }
      return Disposal([source, inner])
    }
  }

  /// Each key has a subject; the source stays subscribed while a group is observed.
  package func groupBy<Key: Hashable>(_ key: @escaping (Element) throws -> Key)
    -> Stream<(key: Key, elements: Stream)>
  {
    .producer { sink in
      var groups: [(key: Key, subject: Subject<Element>)] = []
      let upstream = SharedDisposal()
      let mine = upstream.retained { sink.isReleased }
      var hasEnded = false
      func end(_ fault: Fault?) {
        if hasEnded { return }
        hasEnded = true
        for group in groups { group.subject.end(fault) }
        sink.end(fault)
        upstream.source.dispose()
      }
      let observer = Observer<Element>(isOver: { hasEnded || upstream.isOver }) { notification in
        switch notification {
        case .next(let element):
          do {
            let key = try key(element)
            if hasEnded { return }
            if let group = groups.first(where: { $0.key == key }) {
              return group.subject.next(element)
            }
            let subject = Subject<Element>()
            groups.append((key, subject))
            sink.next((key, subject.stream.holding(upstream)))
            subject.next(element)
          } catch { end(error as? Fault) }
        case .end(let fault): end(fault)
        }
      }
      upstream.source.add(subscribe(observer))
      return mine
    }
  }
}
