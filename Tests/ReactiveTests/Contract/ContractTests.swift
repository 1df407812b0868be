import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// The rules of the contract, each run over every row it applies to.
@Suite("The contract", .workerPool)
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
}
