import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// The rules of the contract, each run over every row it applies to.
@Suite("The contract", .timeLimit(.minutes(1)))
struct ContractTests {
  static let withSources = Table.all.filter { $0.sourceCount > 0 }
  static let creation = Table.rows(.creation)

  // MARK: Grammar

  @Test(arguments: Table.all)
  func `it emits what its row says and lets go of its sources`(row: Row) async {
    await row.onItsActor {
      Stage.with(row) { stage in
        #expect(stage.heard(stage.play) == row.emits)
        #expect(stage.isLetGo)
      }
    }
  }

  @Test(arguments: Table.all)
  func `it begins anew for each observer`(row: Row) async {
    await row.onItsActor {
      Stage.with(row) { stage in
        let other = Log<String>()
        var subscription: (any Disposable)?
        let heard = stage.heard {
          subscription = stage.observable.write(to: other)
          stage.settle()
          stage.play()
        }
        #expect(heard == row.emits)
        switch row.kind {
        case .creation: break
        // What it began with by itself is over by then.
        case .shared: #expect(!other.text.isEmpty && row.emits.hasSuffix(other.text))
        default: #expect(other.text == row.emits)
        }
        subscription.map(stage.dispose)
        #expect(stage.isLetGo)
      }
    }
  }

  @Test(arguments: withSources, [true, false])
  func `sources that go on after their end are not heard`(row: Row, isHandMade: Bool) async {
    await row.onItsActor {
      Stage.with(row, isHandMade: isHandMade) { stage in
        let heard = stage.heard {
          stage.rounds()
          for probe in stage.probes { probe.endWildly() }
          stage.pass()
        }
        #expect(heard == row.emits)
        #expect(stage.isLetGo)
      }
    }
  }

  @Test(arguments: withSources.filter { !$0.traits.contains(.mindsTheEnd) })
  func `sources that were cut off and go on are not heard`(row: Row) async {
    await row.onItsActor {
      Stage.with(row, isHandMade: true, source: { source, _ in source.take(3) }) { stage in
        let heard = stage.heard {
          stage.rounds()
          for probe in stage.probes { probe.endWildly() }
          stage.pass()
          stage.round(4)
          stage.complete()
        }
        #expect(heard == row.emits)
        #expect(stage.isLetGo)
      }
    }
  }

  @Test(arguments: withSources)
  func `what stands below is told of one end`(row: Row) async {
    await row.onItsActor {
      for error in [nil, TestError.any] {
        Stage.with(row, isHandMade: error == nil) { stage in
          let ends = Log<String>()
          let watched = stage.observable.do(
            onError: { _ in ends.append("x") },
            afterError: { _ in ends.append("after x") },
            onCompleted: { ends.append("|") },
            afterCompleted: { ends.append("after |") }
          )
          let log = Log<String>()
          let subscription = watched.concat(Observable.just(100)).write(to: log)
          stage.settle()
          stage.rounds()
          for probe in stage.probes { probe.endWildly(error) }
          stage.pass()
          #expect(log.keepsTheGrammar)
          if row.ends, error == nil || !row.traits.contains(.handlesErrors) {
            if error == nil { #expect(log.text == row.emits.dropLast() + "100 |") }
            #expect(ends.entries == ["|", "after |"] || ends.entries == ["x", "after x"])
            #expect(stage.isLetGo)
          }
          stage.dispose(subscription)
          #expect(stage.isLetGo)
        }
      }
    }
  }

  @Test(arguments: withSources)
  func `sources that end inside of subscribe end it as others do`(row: Row) async {
    await row.onItsActor {
      for elements in [[], [1], [1, 2, 3]] {
        // A single that retries for want of an element never ends.
        if elements.isEmpty, row.traits.contains(.retriesForever) { continue }
        let source = Observable<Int>.create { observer in
          elements.forEach(observer.onNext)
          observer.onCompleted()
          observer.onNext(99)
          observer.onCompleted()
          return Disposables.create()
        }
        Stage.with(row, source: { _, _ in source }) { stage in
          let log = Log<String>()
          let subscription = stage.observable.write(to: log)
          stage.pass()
          stage.pass()
          #expect(log.keepsTheGrammar)
          if !row.traits.contains(.mayNotEnd) {
            #expect(log.hasEnded == row.ends, "\(log.text)")
          }
          #expect(!log.entries.contains("99"))
          stage.dispose(subscription)
        }
      }
    }
  }

  @Test(arguments: withSources.filter { !$0.traits.contains(.retriesForever) })
  func `subjects that have ended already end it`(row: Row) async {
    await row.onItsActor {
      func heard(_ makeSource: @Sendable () -> Observable<Int>) -> String {
        var heard = ""
        Stage.with(row, source: { _, _ in makeSource() }) { stage in
          heard = stage.heard {
            stage.pass()
            stage.pass()
          }
        }
        return heard
      }
      let expected = heard { .empty() }
      #expect(
        heard {
          let subject = PublishSubject<Int>()
          subject.onCompleted()
          return subject
        } == expected
      )
      #expect(
        heard {
          let subject = BehaviorSubject(value: 1)
          subject.onCompleted()
          return subject
        } == expected
      )
      let failed = heard { .error(TestError.any) }
      #expect(
        heard {
          let subject = ReplaySubject<Int>.createUnbounded()
          subject.onError(TestError.any)
          return subject
        } == failed
      )
    }
  }

  // MARK: Errors

  @Test(arguments: withSources)
  func `an error of any source arrives once and disposes of the others`(row: Row) async {
    await row.onItsActor {
      for index in 0..<row.sourceCount {
        for rounds in 0...2 {
          Stage.with(row) { stage in
            let log = Log<String>()
            let subscription = stage.observable.write(to: log)
            stage.settle()
            for element in 0..<rounds { stage.round(element + 1) }
            let isApplicable = stage.probes[index].isObserved
            stage.probes[index].fail()
            stage.pass()
            if isApplicable, !row.traits.contains(.handlesErrors) {
              #expect(log.entries.last == "x", "source \(index): \(log.text)")
              #expect(log.terminals == 1)
              #expect(stage.isLetGo)
            }
            #expect(log.keepsTheGrammar)
            stage.dispose(subscription)
            #expect(stage.isLetGo)
          }
        }
      }
    }
  }

  @Test(arguments: withSources.filter { !$0.traits.contains(.retriesForever) })
  func `sources that fail inside of subscribe end it`(row: Row) async {
    await row.onItsActor {
      let source = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onError(TestError.any)
        observer.onNext(99)
        observer.onCompleted()
        return Disposables.create()
      }
      Stage.with(row, source: { _, _ in source }) { stage in
        let heard = Log<String>()
        let subscription = stage.observable.write(to: heard)
        stage.pass()
        stage.pass()
        #expect(heard.keepsTheGrammar)
        let isToEnd = row.ends && !row.traits.contains(.mayNotEnd)
        if isToEnd { #expect(heard.hasEnded, "\(heard.text)") }
        stage.dispose(subscription)
      }
    }
  }

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

  // MARK: Re-entrancy

  @Test(arguments: withSources)
  func `an observer may send to its sources`(row: Row) async {
    await row.onItsActor {
      func heard(isNested: Bool) -> [String] {
        let log = Log<String>()
        Stage.with(row) { stage in
          let isToSend = Atomic(false)
          let subscription = stage.observable.subscribe { event in
            log.append("\(event.element.map { "\($0)" } ?? "end")")
            if isNested, isToSend.exchange(false, ordering: .relaxed) { stage.feed(5) }
          }
          stage.settle()
          isToSend.store(true, ordering: .relaxed)
          let heardBefore = log.count
          for element in 1...3 {
            stage.feed(element)
            if !isNested, log.count > heardBefore, isToSend.exchange(false, ordering: .relaxed) {
              stage.feed(5)
            }
            stage.pass()
          }
          stage.complete()
          stage.dispose(subscription)
          #expect(stage.isLetGo)
        }
        return log.entries
      }
      let nested = heard(isNested: true)
      let flat = heard(isNested: false)
      switch row.kind {
      case .oneSource,
        .shared where !row.traits.contains(.onMain):
        #expect(nested == flat)
      case .severalSources where !row.traits.contains(.mindsTheOrder):
        #expect(nested.sorted() == flat.sorted())
      default: #expect(nested.last == flat.last)
      }
    }
  }

  @Test(arguments: withSources)
  func `an observer may subscribe again inside of an element`(row: Row) async {
    await row.onItsActor {
      Stage.with(row) { stage in
        let (log, second) = (Log<String>(), Log<String>())
        let bag = DisposeBag()
        let observable = stage.observable
        observable.subscribe { event in
          log.append("\(event.element.map { "\($0)" } ?? (event.error == nil ? "|" : "x"))")
          if log.count == 1 { observable.write(to: second).disposed(by: bag) }
        }
        .disposed(by: bag)
        stage.settle()
        stage.play()
        #expect(log.text == row.emits)
        #expect(second.keepsTheGrammar)
        if row.ends { #expect(second.hasEnded) }
      }
    }
  }

  @Test(arguments: withSources)
  func `an observer may end its sources inside of an element`(row: Row) async {
    await row.onItsActor {
      Stage.with(row) { stage in
        let log = Log<String>()
        let isToEnd = Atomic(false)
        let subscription = stage.observable.subscribe { event in
          log.append("\(event.element.map { "\($0)" } ?? "|")")
          if isToEnd.exchange(false, ordering: .relaxed) {
            for probe in stage.probes { probe.complete() }
          }
        }
        stage.settle()
        isToEnd.store(true, ordering: .relaxed)
        stage.play()
        stage.pass()
        #expect(log.keepsTheGrammar)
        #expect(log.hasEnded == row.ends, "\(log.text)")
        stage.dispose(subscription)
        #expect(stage.isLetGo)
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
    let lifetime = Cell<Lifetime?>(nil)
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
