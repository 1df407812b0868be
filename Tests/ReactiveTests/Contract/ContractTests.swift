import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// The rules of the contract, each of which runs for every row that it applies to.
@Suite("The contract of operators", .workerPool)
struct ContractTests {
  static let withSources = Table.all.filter { $0.sourceCount > 0 }
  static let creation = Table.rows(.creation)

  // MARK: Grammar

  @Test(arguments: Table.all)
  func `an operator emits its row's events and disposes of its sources`(row: Row) async {
    await row.onItsActor {
      OperatorHarness.with(row) { harness in
        #expect(harness.received(harness.play) == row.emits)
        #expect(harness.isDisposedOf)
      }
    }
  }

  @Test(arguments: Table.all)
  func `an operator starts again for each observer`(row: Row) async {
    await row.onItsActor {
      OperatorHarness.with(row) { harness in
        let other = EventRecorder<String>()
        var subscription: (any Disposable)?
        let received = harness.received {
          subscription = harness.observable.record(in: other)
          harness.settle()
          harness.play()
        }
        #expect(received == row.emits)
        switch row.kind {
        case .creation: break
        // The elements that it emits by itself came before this subscription.
        case .shared: #expect(!other.text.isEmpty && row.emits.hasSuffix(other.text))
        default: #expect(other.text == row.emits)
        }
        subscription.map(harness.dispose)
        #expect(harness.isDisposedOf)
      }
    }
  }

  @Test(arguments: withSources, [true, false])
  func `an operator ignores events that a source sends after its end`(
    row: Row, isMadeByCreate: Bool
  ) async {
    await row.onItsActor {
      OperatorHarness.with(row, isMadeByCreate: isMadeByCreate) { harness in
        let received = harness.received {
          harness.rounds()
          for probe in harness.probes { probe.endRepeatedly() }
          harness.pass()
        }
        #expect(received == row.emits)
        #expect(harness.isDisposedOf)
      }
    }
  }

  @Test(arguments: withSources.filter { !$0.traits.contains(.dependsOnEnd) })
  func `an operator ignores events that a source sends after take has ended it`(row: Row) async {
    await row.onItsActor {
      OperatorHarness.with(row, isMadeByCreate: true, source: { source, _ in source.take(3) }) {
        harness in
        let received = harness.received {
          harness.rounds()
          for probe in harness.probes { probe.endRepeatedly() }
          harness.pass()
          harness.round(4)
          harness.complete()
        }
        #expect(received == row.emits)
        #expect(harness.isDisposedOf)
      }
    }
  }

  @Test(arguments: withSources)
  func `an operator sends one end downstream`(row: Row) async {
    await row.onItsActor {
      for error in [nil, TestError.any] {
        OperatorHarness.with(row, isMadeByCreate: error == nil) { harness in
          let ends = EventRecorder<String>()
          let watched = harness.observable.do(
            onError: { _ in ends.append("x") },
            afterError: { _ in ends.append("after x") },
            onCompleted: { ends.append("|") },
            afterCompleted: { ends.append("after |") }
          )
          let log = EventRecorder<String>()
          let subscription = watched.concat(Observable.just(100)).record(in: log)
          harness.settle()
          harness.rounds()
          for probe in harness.probes { probe.endRepeatedly(error) }
          harness.pass()
          #expect(log.keepsTheGrammar)
          if row.ends, error == nil || !row.traits.contains(.handlesErrors) {
            if error == nil { #expect(log.text == row.emits.dropLast() + "100 |") }
            #expect(ends.events == ["|", "after |"] || ends.events == ["x", "after x"])
            #expect(harness.isDisposedOf)
          }
          harness.dispose(subscription)
          #expect(harness.isDisposedOf)
        }
      }
    }
  }

  @Test(arguments: withSources)
  func `sources that end during subscribe end the operator`(row: Row) async {
    await row.onItsActor {
      for elements in [[], [1], [1, 2, 3]] {
        // A single that retries for a missing element never ends.
        if elements.isEmpty, row.traits.contains(.retriesForever) { continue }
        let source = Observable<Int>.create { observer in
          elements.forEach(observer.onNext)
          observer.onCompleted()
          observer.onNext(99)
          observer.onCompleted()
          return Disposables.create()
        }
        OperatorHarness.with(row, source: { _, _ in source }) { harness in
          let log = EventRecorder<String>()
          let subscription = harness.observable.record(in: log)
          harness.pass()
          harness.pass()
          #expect(log.keepsTheGrammar)
          if !row.traits.contains(.mayNotEnd) {
            #expect(log.hasEnded == row.ends, "\(log.text)")
          }
          #expect(!log.events.contains("99"))
          harness.dispose(subscription)
        }
      }
    }
  }

  @Test(arguments: withSources.filter { !$0.traits.contains(.retriesForever) })
  func `subjects that ended before the subscription end the operator`(row: Row) async {
    await row.onItsActor {
      func received(_ makeSource: @Sendable () -> Observable<Int>) -> String {
        var received = ""
        OperatorHarness.with(row, source: { _, _ in makeSource() }) { harness in
          received = harness.received {
            harness.pass()
            harness.pass()
          }
        }
        return received
      }
      let expected = received { .empty() }
      #expect(
        received {
          let subject = PublishSubject<Int>()
          subject.onCompleted()
          return subject
        } == expected
      )
      #expect(
        received {
          let subject = BehaviorSubject(value: 1)
          subject.onCompleted()
          return subject
        } == expected
      )
      let failed = received { .error(TestError.any) }
      #expect(
        received {
          let subject = ReplaySubject<Int>.createUnbounded()
          subject.onError(TestError.any)
          return subject
        } == failed
      )
    }
  }

  // MARK: Errors

  @Test(arguments: withSources)
  func `an error of any source ends the operator once and disposes of the other sources`(row: Row)
    async
  {
    await row.onItsActor {
      for index in 0..<row.sourceCount {
        for rounds in 0...2 {
          OperatorHarness.with(row) { harness in
            let log = EventRecorder<String>()
            let subscription = harness.observable.record(in: log)
            harness.settle()
            for element in 0..<rounds { harness.round(element + 1) }
            let isApplicable = harness.probes[index].isObserved
            harness.probes[index].fail()
            harness.pass()
            if isApplicable, !row.traits.contains(.handlesErrors) {
              #expect(log.events.last == "x", "source \(index): \(log.text)")
              #expect(log.terminals == 1)
              #expect(harness.isDisposedOf)
            }
            #expect(log.keepsTheGrammar)
            harness.dispose(subscription)
            #expect(harness.isDisposedOf)
          }
        }
      }
    }
  }

  @Test(arguments: withSources.filter { !$0.traits.contains(.retriesForever) })
  func `sources that fail during subscribe end the operator`(row: Row) async {
    await row.onItsActor {
      let source = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onError(TestError.any)
        observer.onNext(99)
        observer.onCompleted()
        return Disposables.create()
      }
      OperatorHarness.with(row, source: { _, _ in source }) { harness in
        let received = EventRecorder<String>()
        let subscription = harness.observable.record(in: received)
        harness.pass()
        harness.pass()
        #expect(received.keepsTheGrammar)
        let isToEnd = row.ends && !row.traits.contains(.mayNotEnd)
        if isToEnd { #expect(received.hasEnded, "\(received.text)") }
        harness.dispose(subscription)
      }
    }
  }
}
