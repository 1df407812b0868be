import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ZipTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `zip pairs elements by their index`() {
    let a = scheduler.createHotObservable([
      .next(205, 1), .next(210, 2), .next(230, 3), .completed(240),
    ])
    let b = scheduler.createHotObservable([.next(220, 10), .next(225, 20), .completed(250)])
    let observer = scheduler.start { Observable.zip(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(220, 11), .next(225, 22), .completed(250)])
    #expect(a.subscriptions == [Subscription(200, 240)])
    #expect(b.subscriptions == [Subscription(200, 250)])
  }

  @Test func `zip ends with the first error`() {
    let a = scheduler.createHotObservable([.next(205, 1), .error(240, TestError.any)])
    let b = scheduler.createHotObservable([.next(220, 10), .completed(250)])
    let observer = scheduler.start { Observable.zip(a, b) { $0 + $1 } }
    #expect(observer.events == [.next(220, 11), .error(240, TestError.any)])
    #expect(b.subscriptions == [Subscription(200, 240)])
  }

  @Test func `zip ends with a selector's error and disposes of its sources`() {
    let a = scheduler.createHotObservable([.next(205, 1), .next(206, 2)])
    let b = scheduler.createHotObservable([.next(220, 10), .completed(250)])
    let observer = scheduler.start { Observable<Int>.zip(a, b) { _, _ in throw TestError.any } }
    #expect(observer.events == [.error(220, TestError.any)])
    #expect(a.subscriptions == [Subscription(200, 220)])
    #expect(b.subscriptions == [Subscription(200, 220)])
  }

  @Test func `zip completes when all sources have completed`() {
    let a = scheduler.createHotObservable([.completed(210, Int.self)])
    let b = scheduler.createHotObservable([.next(215, 1), .completed(220)])
    let observer = scheduler.start { Observable.zip(a, b) { $0 + $1 } }
    #expect(observer.events == [.completed(220)])
    #expect(a.subscriptions == [Subscription(200, 210)])
    #expect(b.subscriptions == [Subscription(200, 220)])
  }

  @Test func `zip without a selector emits tuples`() {
    #expect(
      Observable.zip(Observable.of(1, 2, 3), Observable.of("a", "b")).recorded()
        == #"(1, "a") (2, "b") |"#
    )
  }

  @Test func `zip emits every pair of two threads once`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let log = EventRecorder<Int>()
    let completions = Atomic(0)
    _ = Observable.zip(a, b) { ($0, $1) }.subscribe(
      onNext: { if $0 == $1 { log.append($0) } },
      onCompleted: { completions.add(1, ordering: .relaxed) }
    )
    onThreads(2) { index in
      let subject = index == 0 ? a : b
      for element in 0..<20_000 { subject.onNext(element) }
      subject.onCompleted()
    }
    #expect(log.events == Array(0..<20_000))
    #expect(completions.load(ordering: .relaxed) == 1)
  }
}

// Two to eight sources of every kind. Drivers deliver on the main actor.
@MainActor
@Suite(.workerPool) struct ZipArityTests {
  @Test func `zip accepts two to eight observables`() {
    let s = (1...8).map { Observable.of("\($0)", "-\($0)") }
    let selected: [Observable<String>] = [
      Observable.zip(s[0], s[1]) { $0 + $1 },
      Observable.zip(s[0], s[1], s[2]) { $0 + $1 + $2 },
      Observable.zip(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) { $0 + $1 + $2 + $3 + $4 + $5 + $6 },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
        $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
      },
    ]
    let tuples: [Observable<String>] = [
      Observable.zip(s[0], s[1]).map { "\($0)" },
      Observable.zip(s[0], s[1], s[2]).map { "\($0)" },
      Observable.zip(s[0], s[1], s[2], s[3]).map { "\($0)" },
      Observable.zip(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" },
      Observable.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { "\($0)" },
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
  func `zip accepts two to eight drivers, signals or infallibles`(
    kind: any SharingStrategyProtocol.Type
  ) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      typealias Texts = SharedSequence<Strategy, String>
      let number = 2...8
      for count in number {
        let selected = mocked { scheduler -> Observable<String> in
          let s = (1...8).map { Texts.of("\($0)", "-\($0)") }
          let selected: [Texts] = [
            Texts.zip(s[0], s[1]) { $0 + $1 },
            Texts.zip(s[0], s[1], s[2]) { $0 + $1 + $2 },
            Texts.zip(s[0], s[1], s[2], s[3]) { $0 + $1 + $2 + $3 },
            Texts.zip(s[0], s[1], s[2], s[3], s[4]) { $0 + $1 + $2 + $3 + $4 },
            Texts.zip(s[0], s[1], s[2], s[3], s[4], s[5]) { $0 + $1 + $2 + $3 + $4 + $5 },
            Texts.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]) {
              $0 + $1 + $2 + $3 + $4 + $5 + $6
            },
            Texts.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]) {
              $0 + $1 + $2 + $3 + $4 + $5 + $6 + $7
            },
          ]
          return selected[count - 2].asObservable()
        }.map { text($0.value) }.joined(separator: " ")
        #expect(selected == selectedText(count))
        let tuple = mocked { scheduler -> Observable<String> in
          let s = (1...8).map { Texts.of("\($0)", "-\($0)") }
          let tuples: [Texts] = [
            SharedSequence.zip(s[0], s[1]).map { "\($0)" },
            SharedSequence.zip(s[0], s[1], s[2]).map { "\($0)" },
            SharedSequence.zip(s[0], s[1], s[2], s[3]).map { "\($0)" },
            SharedSequence.zip(s[0], s[1], s[2], s[3], s[4]).map { "\($0)" },
            SharedSequence.zip(s[0], s[1], s[2], s[3], s[4], s[5]).map { "\($0)" },
            SharedSequence.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6]).map { "\($0)" },
            SharedSequence.zip(s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]).map { "\($0)" },
          ]
          return tuples[count - 2].asObservable()
        }.map { text($0.value) }.joined(separator: " ")
        #expect(tuple == tupleText(count))
      }
    }
    check(kind)
  }

  @Test(arguments: [1, 8, 64, 65, 200])
  func `zip accepts collections of any size`(count: Int) {
    let subjects = (0..<count).map { _ in PublishSubject<Int>() }
    let log = EventRecorder<[Int]>()
    let subscription = Observable.zip(subjects).subscribe(onNext: { log.append($0) })
    for round in 0..<2 {
      for (index, subject) in subjects.enumerated() { subject.onNext(round * 1_000 + index) }
    }
    #expect(log.events == [Array(0..<count), Array(1_000..<1_000 + count)])
    let sums = Observable.zip(subjects.map { $0.startWith(1) }) { $0.reduce(0, +) }
    #expect(sums.recorded() == "\(count)")
    subscription.dispose()
    #expect(!subjects.contains { $0.hasObservers })
  }

  @Test func `zip accepts collections of drivers, signals and infallibles`() {
    #expect(
      mocked { _ in Driver.zip([Driver.just(1), Driver.just(2)]) }.map { text($0.value) }
        == ["[1, 2]", "|"])
    #expect(
      mocked { _ in
        Signal.zip([Signal.just(1), Signal.just(2)]) { (all: [Int]) in all[0] + all[1] }
      }
      .map { text($0.value) } == ["3", "|"])
    #expect(
      mocked { _ in Infallible.zip([Infallible.just(1), Infallible.just(2)]) }.map {
        text($0.value)
      }
        == ["[1, 2]", "|"])
  }

  @Test func `Observable<Int>.zip of a collection emits arrays`() {
    #expect(Observable<Int>.zip([Observable.just(1), .just(2)]).recorded() == "[1, 2] |")
    #expect(
      mocked { _ in Driver<Int>.zip([Driver.just(1), Driver.just(2)]) }.map { text($0.value) }
        == ["[1, 2]", "|"])
  }

  @Test func `zip of an empty collection completes`() {
    #expect(Observable.zip([Observable<Int>]()).recorded() == "|")
    #expect(Observable.zip([Observable<Int>]()) { $0.count }.recorded() == "|")
    #expect(Driver.zip([Driver<Int>]()).asObservable().recorded() == "|")
  }

  @Test func `zip of a collection completes when a completed source has no queued element`() {
    #expect(
      play("1|", "--2--3") { a, b, _ in .zip([a, b]) { String($0) } as Observable<String> }
        == "--[12]--|")
  }

  private func rounds(_ count: Int) -> [[String]] {
    ["", "-"].map { sign in (1...count).map { "\(sign)\($0)" } }
  }

  private func selectedText(_ count: Int) -> String {
    (rounds(count).map { $0.joined() } + ["|"]).joined(separator: " ")
  }

  private func tupleText(_ count: Int) -> String {
    (rounds(count).map { "(\($0.map { "\"\($0)\"" }.joined(separator: ", ")))" } + ["|"])
      .joined(separator: " ")
  }
}
