extension Stream {
  // MARK: Synchronous sources

  package static func just(_ element: Element) -> Stream {
    Stream { observer in
      observer.next(element)
      observer.end(nil)
      return Disposal()
    }
  }

  package static func empty() -> Stream { ended(nil) }

  package static func error(_ fault: Fault) -> Stream { ended(fault) }

  package static func never() -> Stream { Stream { _ in Disposal() } }

  private static func ended(_ fault: Fault?) -> Stream {
    Stream { observer in
      observer.end(fault)
      return Disposal()
    }
  }

  /// `body` sends to the sink; events after the end are dropped, as in RxSwift.
  package static func create(_ body: @escaping (Observer<Element>) -> Disposal) -> Stream {
    .producer { sink in
      var hasEnded = false
      return body(
        Observer(isOver: { hasEnded || sink.isOver }) { notification in
          if case .end = notification { hasEnded = true }
          sink.forwarding.on(notification)
        })
    }
  }

  package static func deferred(_ factory: @escaping () throws -> Stream) -> Stream {
    .producer { $0.follow(factory) }
  }

  package static func using(
    _ resource: @escaping () -> Disposal, _ factory: @escaping () throws -> Stream
  )
    -> Stream
  {
    .producer { sink in
      let resource = resource()
      return Disposal([sink.follow(factory), resource])
    }
  }

  // MARK: Sources with one element in a turn of the trampoline

  package static func of(_ elements: [Element]) -> Stream {
    steps(elements) { Trampoline.schedule($0) }
  }

  /// In virtual time each step takes a tick.
  package static func of(_ elements: [Element], _ clock: VirtualClock) -> Stream {
    steps(elements) { _ = clock.after(0, $0) }
  }

  private static func steps(
    _ elements: [Element], by schedule: @escaping (@escaping () -> Void) -> Void
  ) -> Stream {
    .producer { sink in
      func step(_ index: Int) {
        schedule {
          if sink.isOver { return }
          if index == elements.count { return sink.end(nil) }
          sink.next(elements[index])
          step(index + 1)
        }
      }
      step(0)
      return Disposal()
    }
  }

  package static func generate(
    _ first: Element, while condition: @escaping (Element) throws -> Bool,
    _ iterate: @escaping (Element) throws -> Element
  ) -> Stream {
    .producer { sink in
      func step(_ before: Element?) {
        Trampoline.schedule {
          if sink.isOver { return }
          sink.attempt {
            let element = try before.map(iterate) ?? first
            guard try condition(element) else { return sink.end(nil) }
            sink.next(element)
            step(element)
          }
        }
      }
      step(nil)
      return Disposal()
    }
  }

  package static func repeatElement(_ element: Element) -> Stream {
    .producer { sink in
      func step() {
        Trampoline.schedule {
          if sink.isOver { return }
          sink.next(element)
          step()
        }
      }
      step()
      return Disposal()
    }
  }
}

extension Stream<Int> {
  package static func timer(_ ticks: Int, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      clock.after(ticks) {
        sink.next(0)
        sink.end(nil)
      }
    }
  }

  package static func timer(_ ticks: Int, period: Int, _ clock: VirtualClock) -> Stream {
    .producer { sink in
      var count = 0
      return clock.every(period, from: ticks) {
        let element = count
        count += 1
        sink.next(element)
      }
    }
  }
}
