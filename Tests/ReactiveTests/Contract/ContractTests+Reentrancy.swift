import Reactive
import ReactiveTesting
import Synchronization
import Testing

/// What an observer may do inside of an element.
extension ContractTests {
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

  @Test(arguments: withSources)
  func `an element whose closure ends its own source does not arrive`(row: Row) async {
    typealias End = @Sendable () -> Void
    typealias Ending = @Sendable (Observable<Int>, @escaping End) -> Observable<Int>
    await row.onItsActor {
      func heard(_ ending: Ending) -> String {
        let probe = Locked<Probe?>(nil)
        let end = { @Sendable () -> Void in probe.withLock { $0 }?.complete() }
        var text = ""
        Stage.with(row, source: { $1 == 0 ? ending($0, end) : $0 }) { stage in
          _ = probe.replace(with: stage.probes[0])
          text = stage.heard { stage.play() }
        }
        return text
      }
      let expected = heard { source, end in
        source.filter { element in
          if element == 2 { end() }
          return element != 2
        }
      }
      #expect(heard { source, end in source.do(onNext: { if $0 == 2 { end() } }) } == expected)
      let mapped = heard { source, end in
        source.map { element in
          if element == 2 { end() }
          return element
        }
      }
      #expect(mapped == expected)
    }
  }
}
