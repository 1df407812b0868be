import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// Calls that an observer may make in `onNext`.
extension ContractTests {
  @Test(arguments: withSources)
  func `an observer can send to the sources of its operator`(row: Row) async {
    await row.onItsActor {
      func received(isNested: Bool) -> [String] {
        let log = EventRecorder<String>()
        OperatorHarness.with(row) { harness in
          let isToSend = Atomic(false)
          let subscription = harness.observable.subscribe { event in
            log.append("\(event.element.map { "\($0)" } ?? "end")")
            if isNested, isToSend.exchange(false, ordering: .relaxed) { harness.feed(5) }
          }
          harness.settle()
          isToSend.store(true, ordering: .relaxed)
          let receivedBefore = log.count
          for element in 1...3 {
            harness.feed(element)
            if !isNested, log.count > receivedBefore, isToSend.exchange(false, ordering: .relaxed) {
              harness.feed(5)
            }
            harness.pass()
          }
          harness.complete()
          harness.dispose(subscription)
          #expect(harness.isDisposedOf)
        }
        return log.events
      }
      let nested = received(isNested: true)
      let flat = received(isNested: false)
      switch row.kind {
      case .oneSource,
        .shared where !row.traits.contains(.onMain):
        #expect(nested == flat)
      case .severalSources where !row.traits.contains(.dependsOnOrder):
        #expect(nested.sorted() == flat.sorted())
      default: #expect(nested.last == flat.last)
      }
    }
  }

  @Test(arguments: withSources)
  func `an observer can subscribe to its operator again in onNext`(row: Row) async {
    await row.onItsActor {
      OperatorHarness.with(row) { harness in
        let (log, second) = (EventRecorder<String>(), EventRecorder<String>())
        let bag = DisposeBag()
        let observable = harness.observable
        observable.subscribe { event in
          log.append("\(event.element.map { "\($0)" } ?? (event.error == nil ? "|" : "x"))")
          if log.count == 1 { observable.record(in: second).disposed(by: bag) }
        }
        .disposed(by: bag)
        harness.settle()
        harness.play()
        #expect(log.text == row.emits)
        #expect(second.keepsTheGrammar)
        if row.ends { #expect(second.hasEnded) }
      }
    }
  }

  @Test(arguments: withSources)
  func `an observer can end the sources of its operator in onNext`(row: Row) async {
    await row.onItsActor {
      OperatorHarness.with(row) { harness in
        let log = EventRecorder<String>()
        let isToEnd = Atomic(false)
        let subscription = harness.observable.subscribe { event in
          log.append("\(event.element.map { "\($0)" } ?? "|")")
          if isToEnd.exchange(false, ordering: .relaxed) {
            for probe in harness.probes { probe.complete() }
          }
        }
        harness.settle()
        isToEnd.store(true, ordering: .relaxed)
        harness.play()
        harness.pass()
        #expect(log.keepsTheGrammar)
        #expect(log.hasEnded == row.ends, "\(log.text)")
        harness.dispose(subscription)
        #expect(harness.isDisposedOf)
      }
    }
  }

  @Test(arguments: withSources)
  func `an element is not delivered when a closure ends its source before`(row: Row) async {
    typealias End = @Sendable () -> Void
    typealias Ending = @Sendable (Observable<Int>, @escaping End) -> Observable<Int>
    await row.onItsActor {
      func received(_ ending: Ending) -> String {
        let probe = Locked<Probe?>(nil)
        let end = { @Sendable () -> Void in probe.withLock { $0 }?.complete() }
        var text = ""
        OperatorHarness.with(row, source: { $1 == 0 ? ending($0, end) : $0 }) { harness in
          _ = probe.replace(with: harness.probes[0])
          text = harness.received { harness.play() }
        }
        return text
      }
      let expected = received { source, end in
        source.filter { element in
          if element == 2 { end() }
          return element != 2
        }
      }
      #expect(received { source, end in source.do(onNext: { if $0 == 2 { end() } }) } == expected)
      let mapped = received { source, end in
        source.map { element in
          if element == 2 { end() }
          return element
        }
      }
      #expect(mapped == expected)
    }
  }
}
