import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Disposed operators emit nothing and release their sources.
extension ContractTests {
  // MARK: Disposal

  @Test(arguments: Table.all)
  func `a disposed operator emits nothing and disposes of its sources`(row: Row) async {
    await row.onItsActor {
      for rounds in 0...3 {
        OperatorHarness.with(row) { harness in
          let log = EventRecorder<String>()
          let subscription = harness.observable.record(in: log)
          harness.settle()
          for element in 0..<rounds { harness.round(element + 1) }
          // Operators of time have pending elements here.
          harness.feed(3)
          harness.dispose(subscription)
          let before = log.count
          #expect(harness.isDisposedOf)
          harness.play()
          harness.pass()
          #expect(log.count == before)
          #expect(harness.isDisposedOf)
          harness.dispose(subscription)
          #expect(harness.isDisposedOf)
        }
      }
    }
  }

  @Test(arguments: Table.all)
  func `an observer that disposes of itself in onNext receives no later event`(row: Row) async {
    await row.onItsActor {
      OperatorHarness.with(row) { harness in
        let log = EventRecorder<String>()
        _ = harness.observable.recordOne(in: log)
        harness.settle()
        harness.play()
        if let first = row.firstElement, first != "x" { #expect(log.text == first) }
        #expect(harness.isDisposedOf)
      }
    }
  }

  @Test(arguments: withSources)
  func `an observer can dispose of itself during the subscribe call`(row: Row) async {
    await row.onItsActor {
      for kind in 0..<2 {
        let source: Observable<Int> =
          kind == 0
          ? .of(1, 2, 3)
          : .create { observer in
            for element in 1...3 { observer.onNext(element) }
            observer.onCompleted()
            return Disposables.create()
          }
        let released = EventRecorder<String>()
        OperatorHarness.with(
          row, source: { _, _ in source.do(onDispose: { released.append("|") }) }
        ) {
          harness in
          let log = EventRecorder<String>()
          let subscription = harness.observable.recordOne(in: log)
          harness.pass()
          harness.pass()
          #expect(log.count <= 1, "\(log.text)")
          subscription.dispose()
        }
      }
    }
  }

  // MARK: Release

  @Test(arguments: Table.all)
  func `the disposable of an ended subscription retains neither source nor observer`(row: Row) async
  {
    await row.onItsActor {
      for ending in ["completed", "failed", "disposed"] {
        var kept: (any Disposable)?
        var time: TestScheduler?
        let observerIsReleased = isReleased { token in
          let sourceIsReleased = isReleased { sourceToken in
            OperatorHarness.with(
              row,
              source: { source, _ in
                source.map { element in
                  sourceToken.hold()
                  return element
                }
              }
            ) { harness in
              let subscription = harness.observable.subscribe { _ in token.hold() }
              kept = subscription
              time = harness.scheduler
              harness.settle()
              harness.round(1)
              harness.round(2)
              harness.feed(3)
              switch ending {
              case "completed": harness.complete()
              case "failed": for probe in harness.probes { probe.fail() }
              default: break
              }
              harness.pass()
              let isFailed = ending == "failed" && !row.traits.contains(.handlesErrors)
              if !row.ends || ending != "completed" && !isFailed { harness.dispose(subscription) }
            }
          }
          #expect(sourceIsReleased, "its source, \(ending)")
        }
        #expect(observerIsReleased, "its observer, \(ending)")
        withExtendedLifetime((kept, time)) {}
      }
    }
  }
}

extension Observable<Int> {
  /// Subscribes an observer that records its events and disposes of itself in `onNext`.
  fileprivate func recordOne(in log: EventRecorder<String>) -> any Disposable {
    let lifetime = Ref<Lifetime?>(nil)
    let sink = Sink<Int>(
      next: { element in
        log.append("\(element)")
        lifetime.value?.dispose()
      },
      end: { _ in log.append("end") }
    )
    lifetime.value = sink.lifetime
    return start(sink)
  }
}
