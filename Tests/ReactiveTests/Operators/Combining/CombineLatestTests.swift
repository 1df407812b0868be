import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct CombineLatestTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `combineLatest emits for each change after every source has emitted`() {
    let a = scheduler.createHotObservable([.next(205, 1), .next(215, 2), .completed(230)])
    let b = scheduler.createHotObservable([.next(210, 10), .next(240, 20), .completed(250)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(210, 11), .next(215, 12), .next(240, 22), .completed(250)])
    #expect(a.subscriptions == [Subscription(200, 230)])
    #expect(b.subscriptions == [Subscription(200, 250)])
  }

  @Test
  func `combineLatest completes when a source completes without an element and another emits`() {
    let a = scheduler.createHotObservable([.completed(210, Int.self)])
    let b = scheduler.createHotObservable([.next(215, 1), .completed(220)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.completed(215)])
    #expect(b.subscriptions == [Subscription(200, 215)])
  }

  @Test func `combineLatest ends with the first error`() {
    let a = scheduler.createHotObservable([.next(205, 1), .error(230, TestError.any)])
    let b = scheduler.createHotObservable([.next(210, 10), .next(240, 20)])
    let observer = scheduler.start { Observable.combineLatest(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(210, 11), .error(230, TestError.any)])
    #expect(b.subscriptions == [Subscription(200, 230)])
  }

  @Test func `combineLatest ends with a selector's error and disposes of its sources`() {
    let a = scheduler.createHotObservable([.next(205, 1)])
    let b = scheduler.createHotObservable([.next(210, 10)])
    let observer = scheduler.start {
      Observable<Int>.combineLatest(a, b) { _, _ in throw TestError.any }
    }
    #expect(observer.events == [.error(210, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 210)])
    #expect(b.subscriptions == [Subscription(200, 210)])
  }

  @Test func `combineLatest without a selector emits tuples`() {
    let a = BehaviorRelay(value: 1)
    let b = BehaviorRelay(value: "b")
    let c = BehaviorRelay(value: true)
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    Observable.combineLatest(a, b, c).record(in: log).disposed(by: bag)
    Observable.combineLatest(a, b).record(in: log, "pair ").disposed(by: bag)
    a.accept(2)
    #expect(
      log.events == [
        #"(1, "b", true)"#, #"pair (1, "b")"#, #"(2, "b", true)"#, #"pair (2, "b")"#,
      ]
    )
  }

  @Test func `combineLatest alternates between synchronous sources`() {
    let both = Observable.combineLatest(Observable.of(1, 2, 3), Observable.of(10, 20, 30)) {
      $0 + $1
    }
    #expect(both.recorded() == "11 12 22 23 33 |")
  }

  @Test func `combineLatest emits the last elements of two threads last`() {
    for _ in 0..<50 {
      let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
      let log = EventRecorder<(Int, Int)>()
      let subscription = Observable.combineLatest(a, b).subscribe(onNext: { log.append($0) })
      onThreads(2) { index in
        for element in 0..<500 { (index == 0 ? a : b).onNext(element) }
      }
      #expect(log.events.last.map { $0 == (499, 499) } == true)
      #expect(
        zip(log.events, log.events.dropFirst()).allSatisfy { $0.0 + $0.1 + 1 == $1.0 + $1.1 }
      )
      subscription.dispose()
    }
  }
}

// Two to eight sources of every kind. Drivers deliver on the main actor.
@MainActor
@Suite(.workerPool) struct CombineLatestArityTests {
  @Test func `combineLatest accepts two to eight observables`() {
    let s = (1...8).map { Observable.of("\($0)", "-\($0)") }
    let selected: [Observable<String>] = [
      Observable.combineLatest(s[0], s[1]) { $0 + $1 },
      Observable.combineLatest(s[0], s[1], s[2]) { $0 + $1 + $2 },
      Observable.combineLatest(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6
      },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
      },
    ]
    let tuples: [Observable<String>] = [
      Observable.combineLatest(s[0], s[1]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" },
      Observable.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { "\($0)" },
    ]
    for (index, (selected, tuples)) in Swift.zip(selected, tuples).enumerated() {
      #expect(selected.recorded() == selectedText(index + 2))
      #expect(tuples.recorded() == tupleText(index + 2))
    }
  }

  @Test(
    arguments: [
      DriverSharingStrategy.self, SignalSharingStrategy.self, InfallibleStrategy.self,
    ] as [any SharingStrategyProtocol.Type])
  func `combineLatest accepts two to eight drivers, signals or infallibles`(
    kind: any SharingStrategyProtocol.Type
  ) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      typealias Texts = SharedSequence<Strategy, String>
      let number = 2...8
      for count in number {
        let selected = mocked { scheduler -> Observable<String> in
          let s = (1...8).map { Texts.of("\($0)", "-\($0)") }
          let selected: [Texts] = [
            Texts.combineLatest(s[0], s[1]) { $0 + $1 },
            Texts.combineLatest(s[0], s[1], s[2]) { $0 + $1 + $2 },
            Texts.combineLatest(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
              $0 + $1 + $2 + $3 + $4 + $5 + $6
            },
            Texts.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
              $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
            },
          ]
          return selected[count - 2].asObservable()
        }.map { text($0.value) }.joined(separator: " ")
        #expect(selected == selectedText(count))
        let tuple = mocked { scheduler -> Observable<String> in
          let s = (1...8).map { Texts.of("\($0)", "-\($0)") }
          let tuples: [Texts] = [
            SharedSequence.combineLatest(s[0], s[1]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" },
            SharedSequence.combineLatest(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map {
              "\($0)"
            },
          ]
          return tuples[count - 2].asObservable()
        }.map { text($0.value) }.joined(separator: " ")
        #expect(tuple == tupleText(count))
      }
    }
    check(kind)
  }

  @Test(arguments: [1, 8, 64, 65, 200])
  func `combineLatest accepts collections of any size`(count: Int) {
    let subjects = (0..<count).map { _ in PublishSubject<Int>() }
    let log = EventRecorder<[Int]>()
    let subscription = Observable.combineLatest(subjects).subscribe(onNext: { log.append($0) })
    for (index, subject) in subjects.enumerated() { subject.onNext(index) }
    subjects[0].onNext(-1)
    #expect(log.events == [Array(0..<count), [-1] + Array(1..<count)])
    let sums = Observable.combineLatest(subjects.map { $0.startWith(1) }) { $0.reduce(0, +) }
    #expect(sums.recorded() == "\(count)")
    subscription.dispose()
    #expect(!subjects.contains { $0.hasObservers })
  }

  @Test func `combineLatest accepts collections of drivers, signals and infallibles`() {
    #expect(
      mocked { _ in Driver.combineLatest([Driver.just(1), Driver.just(2)]) }.map { text($0.value) }
        == ["[1, 2]", "|"])
    #expect(
      mocked { _ in
        Signal.combineLatest([Signal.just(1), Signal.just(2)]) { (all: [Int]) in all[0] + all[1] }
      }
      .map { text($0.value) } == ["3", "|"])
    #expect(
      mocked { _ in Infallible.combineLatest([Infallible.just(1), Infallible.just(2)]) }
        .map { text($0.value) } == ["[1, 2]", "|"])
  }

  @Test func `Observable<Int>.combineLatest of a collection emits arrays`() {
    #expect(Observable<Int>.combineLatest([Observable.just(1), .just(2)]).recorded() == "[1, 2] |")
    #expect(
      mocked { _ in Driver<Int>.combineLatest([Driver.just(1), Driver.just(2)]) }
        .map { text($0.value) } == ["[1, 2]", "|"])
  }

  @Test func `combineLatest of an empty collection emits one empty result and completes`() {
    #expect(Observable.combineLatest([Observable<Int>]()).recorded() == "[] |")
    #expect(Observable.combineLatest([Observable<Int>]()) { $0.count }.recorded() == "0 |")
    #expect(
      Observable<Int>.combineLatest([Observable<Int>]()) { _ in throw TestError.any }.recorded()
        == "x")
    #expect(Driver.combineLatest([Driver<Int>]()).asObservable().recorded() == "[] |")
  }

  /// The latest elements of `count` alternating sources after each event.
  private func states(_ count: Int) -> [[String]] {
    let first = (1...count).map { "\($0)" }
    return (0...count).map { changed in
      first.enumerated().map { $0 < changed ? "-\($1)" : $1 }
    }
  }

  private func selectedText(_ count: Int) -> String {
    (states(count).map { $0.joined() } + ["|"]).joined(separator: " ")
  }

  private func tupleText(_ count: Int) -> String {
    (states(count).map { "(\($0.map { "\"\($0)\"" }.joined(separator: ", ")))" } + ["|"])
      .joined(separator: " ")
  }
}
