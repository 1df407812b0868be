extension Stream {
  package func debounce(_ ticks: Int, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      var waiting: Element?
      let timer = Disposal()
      func emit() {
        guard let element = waiting else { return }
        waiting = nil
        sink.next(element)
      }
      let source = subscribe(for: sink) {
        waiting = $0
        timer.replace(with: clock.after(ticks, emit))
      } end: {
        if $0 == nil { emit() }
        sink.end($0)
      }
      return Disposal([source, timer])
    }
  }

  package func throttle(_ ticks: Int, latest: Bool, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      var held: Element?
      var lastSent: Int?
      var hasCompleted = false
      let timer = Disposal()
      func emit(_ element: Element) {
        held = nil
        sink.next(element)
        lastSent = clock.now
      }
      let source = subscribe(for: sink) { element in
        let passed = lastSent.map { clock.now - $0 } ?? ticks
        if passed >= ticks { return emit(element) }
        if !latest { return }
        let isFirst = held == nil
        held = element
        if !isFirst { return }
        timer.replace(
          with: clock.after(ticks - passed) {
            if let element = held { emit(element) }
            if hasCompleted { sink.end(nil) }
          })
      } end: {
        if $0 == nil, held != nil { hasCompleted = true } else { sink.end($0) }
      }
      return Disposal([source, timer])
    }
  }

  /// One timer for the first pending element, then one for the remaining time of the next element.
  package func delay(_ ticks: Int, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      var waiting: [(element: Element?, time: Int)] = []
      var isActive = false
      let timer = Disposal()
      func deliverFirst() {
        guard let element = waiting.removeFirst().element else { return sink.end(nil) }
        sink.next(element)
        guard let next = waiting.first else { return isActive = false }
        timer.replace(with: clock.after(next.time + ticks - clock.now, deliverFirst))
      }
      func receive(_ element: Element?) {
        waiting.append((element, clock.now))
        if isActive { return }
        isActive = true
        timer.replace(with: clock.after(ticks, deliverFirst))
      }
      let source = subscribe(for: sink) {
        receive($0)
      } end: {
        if $0 == nil { receive(nil) } else { sink.end($0) }
      }
      return Disposal([source, timer])
    }
  }

  package func delaySubscription(_ ticks: Int, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      let source = Disposal()
      source.add(clock.after(ticks) { source.add(pass(to: sink, next: sink.next)) })
      return source
    }
  }

  package func timeout(_ ticks: Int, other: Stream, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      let source = Disposal()
      let timer = Disposal()
      let late = Disposal()
      func wait() {
        timer.replace(
          with: clock.after(ticks) {
            isLate = true
            late.add(other.pass(to: sink, next: sink.next))
            source.dispose()
          })
      }
      var isLate = false
      wait()
      subscribe(for: sink, as: source) {
        if isLate { return }
        sink.next($0)
        if !isLate { wait() }
      } end: {
        if !isLate { sink.end($0) }
      }
      return Disposal([source, timer, late])
    }
  }

  package func buffer(_ ticks: Int, count: Int, _ clock: VirtualClock) -> Stream<[Element]> {
    .producer { sink in
      var buffer: [Element] = []
      let timer = Disposal()
      func wait() { timer.replace(with: clock.after(ticks, flush)) }
      func flush() {
        let full = buffer
        buffer = []
        sink.next(full)
        wait()
      }
      wait()
      let source = subscribe(for: sink) {
        buffer.append($0)
        if buffer.count == count { flush() }
      } end: {
        if $0 == nil { sink.next(buffer) }
        sink.end($0)
      }
      return Disposal([timer, source])
    }
  }

  /// The source stays subscribed while a window is observed.
  package func window(_ ticks: Int, count: Int, _ clock: VirtualClock) -> Stream<Stream> {
    .producer { sink in
      let upstream = SharedDisposal()
      let mine = upstream.retained { sink.isReleased }
      let timer = Disposal()
      upstream.source.add(timer)
      var window = Subject<Element>()
      var size = 0
      var hasEnded = false
      func open() {
        size = 0
        sink.next(window.stream.holding(upstream))
        if !upstream.source.isDisposed { timer.replace(with: clock.after(ticks, roll)) }
      }
      func roll() {
        window.end(nil)
        window = Subject()
        open()
      }
      open()
      let observer = Observer<Element>(isOver: { hasEnded || upstream.isOver }) { notification in
        switch notification {
        case .next(let element):
          window.next(element)
          size += 1
          if size == count { roll() }
        case .end(let fault):
          hasEnded = true
          window.end(fault)
          sink.end(fault)
          upstream.source.dispose()
        }
      }
      upstream.source.add(subscribe(observer))
      return mine
    }
  }

  /// Delivers one element in a turn of the clock, in order.
  package func observe(on clock: VirtualClock) -> Stream {
    .producer { sink in
      var waiting: [Notification<Element>] = []
      var isScheduled = false
      let turns = Disposal()
      func turn() {
        switch waiting.removeFirst() {
        case .next(let element): sink.next(element)
        case .end(let fault): return sink.end(fault)
        }
        isScheduled = false
        schedule()
      }
      func schedule() {
        if isScheduled || waiting.isEmpty { return }
        isScheduled = true
        turns.replace(with: clock.after(0, turn))
      }
      func receive(_ notification: Notification<Element>) {
        waiting.append(notification)
        schedule()
      }
      let source = subscribe(for: sink) {
        receive(.next($0))
      } end: {
        receive(.end($0))
      }
      return Disposal([source, turns])
    }
  }

  /// Subscribes, and disposes of the source, in a turn of the clock.
  package func subscribe(on clock: VirtualClock) -> Stream {
    .producer { sink in
      let subscription = Disposal()
      subscription.add(
        clock.after(0) {
          // The source is informed of the disposal in the scheduled turn.
          let source = Disposal()
          var hasEnded = false
          let observer = Observer<Element>(isOver: { hasEnded || source.isDisposed }) {
            notification in
            if case .end = notification { hasEnded = true }
            sink.forwarding.on(notification)
          }
          source.add(subscribe(observer))
          subscription.add(Disposal { _ = clock.after(0) { source.dispose() } })
        })
      return subscription
    }
  }
}
