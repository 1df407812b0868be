import Reactive
import ReactiveTesting
import Testing

/// What is disposed of is silent, and keeps nothing.
extension ContractTests {
  // MARK: Disposal

  @Test(arguments: Table.all)
  func `nothing arrives after disposal and the sources are let go of`(row: Row) async {
    await row.onItsActor {
      for rounds in 0...3 {
        Stage.with(row) { stage in
          let log = Log<String>()
          let subscription = stage.observable.write(to: log)
          stage.settle()
          for element in 0..<rounds { stage.round(element + 1) }
          // Something waits for its time here, in operators that wait.
          stage.feed(3)
          stage.dispose(subscription)
          let before = log.count
          #expect(stage.isLetGo)
          stage.play()
          stage.pass()
          #expect(log.count == before)
          #expect(stage.isLetGo)
          stage.dispose(subscription)
          #expect(stage.isLetGo)
        }
      }
    }
  }

  @Test(arguments: Table.all)
  func `an observer that disposes of itself inside of an element hears nothing more`(row: Row) async
  {
    await row.onItsActor {
      Stage.with(row) { stage in
        let log = Log<String>()
        _ = stage.observable.writeOne(to: log)
        stage.settle()
        stage.play()
        if let first = row.firstElement, first != "x" { #expect(log.text == first) }
        #expect(stage.isLetGo)
      }
    }
  }

  @Test(arguments: withSources)
  func `an observer may dispose of itself inside of the subscribe call`(row: Row) async {
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
        let released = Log<String>()
        Stage.with(row, source: { _, _ in source.do(onDispose: { released.append("|") }) }) {
          stage in
          let log = Log<String>()
          let subscription = stage.observable.writeOne(to: log)
          stage.pass()
          stage.pass()
          #expect(log.count <= 1, "\(log.text)")
          subscription.dispose()
        }
      }
    }
  }

  // MARK: Release

  @Test(arguments: Table.all)
  func `whoever keeps the disposable of what is over keeps nothing else`(row: Row) async {
    await row.onItsActor {
      for ending in ["completed", "failed", "disposed"] {
        var kept: (any Disposable)?
        var time: TestScheduler?
        let observerIsReleased = isReleased { token in
          let sourceIsReleased = isReleased { sourceToken in
            Stage.with(
              row,
              source: { source, _ in
                source.map { element in
                  sourceToken.hold()
                  return element
                }
              }
            ) { stage in
              let subscription = stage.observable.subscribe { _ in token.hold() }
              kept = subscription
              time = stage.scheduler
              stage.settle()
              stage.round(1)
              stage.round(2)
              stage.feed(3)
              switch ending {
              case "completed": stage.complete()
              case "failed": for probe in stage.probes { probe.fail() }
              default: break
              }
              stage.pass()
              let isFailed = ending == "failed" && !row.traits.contains(.handlesErrors)
              if !row.ends || ending != "completed" && !isFailed { stage.dispose(subscription) }
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
  /// Subscribes an observer that notes what it hears, and disposes of itself inside of an element.
  fileprivate func writeOne(to log: Log<String>) -> any Disposable {
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
