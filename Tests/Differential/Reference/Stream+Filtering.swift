extension Stream {
  package func take(_ count: Int) -> Stream {
    if count == 0 { return .empty() }
    return .producer { sink in
      var left = count
      return pass(to: sink) {
        if left == 0 { return }
        left -= 1
        let isLast = left == 0
        sink.next($0)
        if isLast { sink.end(nil) }
      }
    }
  }

  package func take(while predicate: @escaping (Element) throws -> Bool, inclusive: Bool) -> Stream
  {
    .producer { sink in
      var isTaking = true
      return pass(to: sink) {
        if !isTaking { return }
        isTaking = try predicate($0)
        if isTaking || inclusive { sink.next($0) }
        if !isTaking { sink.end(nil) }
      }
    }
  }

  package func takeLast(_ count: Int) -> Stream {
    .producer { sink in
      var last: [Element] = []
      return subscribe(for: sink) {
        last = (last + [$0]).suffix(count)
      } end: { fault in
        if fault == nil { for element in last where !sink.isOver { sink.next(element) } }
        sink.end(fault)
      }
    }
  }

  package func take<Other>(until other: Stream<Other>) -> Stream {
    .producer { sink in
      let closing = other.subscribe(for: sink) { _ in
        sink.end(nil)
      } end: {
        if let fault = $0 { sink.end(fault) }
      }
      if sink.isOver { return closing }
      // The source is released before its end is delivered.
      return Disposal([closing, subscribe(for: sink, next: sink.next, end: sink.end)])
    }
  }

  package func skip(_ count: Int) -> Stream {
    .producer { sink in
      var left = count
      return pass(to: sink) { if left > 0 { left -= 1 } else { sink.next($0) } }
    }
  }

  package func skip(while predicate: @escaping (Element) throws -> Bool) -> Stream {
    .producer { sink in
      var isSkipping = true
      return pass(to: sink) {
        if isSkipping { isSkipping = try predicate($0) }
        if !isSkipping { sink.next($0) }
      }
    }
  }

  package func skip<Other>(until other: Stream<Other>) -> Stream {
    .producer { sink in
      var isOpen = false
      let source = subscribe(for: sink) {
        if isOpen { sink.next($0) }
      } end: { fault in
        // When the source completes before the notifier, the result has no end.
        if fault != nil || isOpen { sink.end(fault) } else { sink.disposal.dispose() }
      }
      if sink.isOver { return source }
      let opening = Disposal()
      other.subscribe(for: sink, as: opening) { _ in
        isOpen = true
        opening.dispose()
      } end: {
        if let fault = $0 { sink.end(fault) }
      }
      return Disposal([source, opening])
    }
  }

  package func skip(for ticks: Int, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      var isOpen = false
      let timer = clock.after(ticks) { isOpen = true }
      return Disposal([timer, subscribe(for: sink) { if isOpen { sink.next($0) } }])
    }
  }

  package func element(at index: Int) -> Stream {
    .producer { sink in
      var left = index
      return subscribe(for: sink) {
        left -= 1
        if left != -1 { return }
        sink.next($0)
        sink.end(nil)
      } end: {
        sink.end($0 ?? .argumentOutOfRange)
      }
    }
  }

  package func single() -> Stream {
    .producer { sink in
      var isSeen = false
      return subscribe(for: sink) {
        if isSeen { throw Fault.moreThanOneElement }
        isSeen = true
        sink.next($0)
      } end: {
        sink.end($0 ?? (isSeen ? nil : .noElements))
      }
    }
  }

  package func ifEmpty(switchTo other: Stream) -> Stream {
    .producer { sink in
      var isEmpty = true
      let source = Disposal()
      source.add(
        subscribe(for: sink) {
          isEmpty = false
          sink.next($0)
        } end: { fault in
          if fault != nil || !isEmpty { return sink.end(fault) }
          source.replace(with: other.pass(to: sink, next: sink.next))
        })
      return source
    }
  }
}
