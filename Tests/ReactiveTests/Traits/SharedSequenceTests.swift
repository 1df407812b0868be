import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Drivers deliver on the main actor.
@MainActor
@Suite(.workerPool) struct SharedSequenceTests {
  @Test func `just, empty and never of shared sequences emit on the scheduler`() {
    #expect(mocked { _ in Driver.just(1) } == [.next(201, 1), .completed(201)])
    #expect(mocked { _ in Signal<Int>.empty() } == [.completed(201)])
    #expect(mocked { _ in Driver<Int>.never() } == [])
    #expect(mocked { _ in Infallible.just(1) } == [.next(200, 1), .completed(200)])
    #expect(mocked { _ in Infallible<Int>.empty() } == [.completed(200)])
    #expect(mocked { _ in Infallible<Int>.never() } == [])
  }

  @Test func `of and from of drivers and signals schedule each element`() {
    let turns = [Recorded.next(201, 1), .next(202, 2), .completed(203)]
    #expect(mocked { _ in Driver.of(1, 2) } == turns)
    #expect(mocked { _ in Signal.from([1, 2]) } == turns)
    #expect(mocked { _ in Driver.from(1...2) } == turns)
    #expect(mocked { _ in Driver.from(optional: 1) } == [.next(201, 1), .completed(202)])
    #expect(mocked { _ in Driver<Int>.from(optional: nil) } == [.completed(201)])
  }

  @Test func `of and from of infallibles emit synchronously`() {
    let atOnce = [Recorded.next(200, 1), .next(200, 2), .completed(200)]
    #expect(mocked { _ in Infallible.of(1, 2) } == atOnce)
    #expect(mocked { _ in Infallible.from([1, 2]) } == atOnce)
    #expect(mocked { _ in Infallible.from(1...2) } == atOnce)
    #expect(mocked { _ in Infallible.from(optional: 1) } == [.next(200, 1), .completed(200)])
    #expect(mocked { _ in Infallible<Int>.from(optional: nil) } == [.completed(200)])
  }

  @Test func `Driver.deferred calls its closure for each connection`() {
    let log = EventRecorder<String>()
    let driver = Driver<Int>.deferred {
      log.append("made")
      return Infallible.just(1).asDriver()
    }
    #expect(log.events == [])
    driver.drive().dispose()
    driver.drive().dispose()
    #expect(log.events == ["made", "made"])
  }

  @Test func `Driver.interval and Signal.timer count on the scheduler`() {
    #expect(
      mocked { _ in Driver<Int>.interval(.seconds(300)) } == [.next(500, 0), .next(800, 1)])
    #expect(
      mocked { _ in Signal<Int>.timer(.seconds(100), period: .seconds(400)) }
        == [.next(300, 0), .next(700, 1)])
  }

  @Test func `asSharedSequence replaces an error by an element, a sequence or a closure's result`()
  {
    func check<Strategy: SharingStrategyProtocol>(_ strategy: Strategy.Type) {
      func recovered(
        _ recover: @escaping (Observable<Int>) -> SharedSequence<Strategy, Int>
      ) -> [String] {
        mocked { scheduler in
          recover(
            scheduler.createHotObservable([.next(210, 1), .error(220, TestError.any)])
              .asObservable())
        }.map { text($0.value) }
      }
      #expect(
        recovered { $0.asSharedSequence(sharingStrategy: strategy, onErrorJustReturn: 7) }
          == ["1", "7", "|"])
      #expect(
        recovered { $0.asSharedSequence(sharingStrategy: strategy, onErrorDriveWith: .of(8, 9)) }
          == ["1", "8", "9", "|"])
      #expect(
        recovered {
          $0.asSharedSequence(
            sharingStrategy: strategy,
            onErrorRecover: { $0 as? TestError == .any ? .just(6) : .empty() })
        } == ["1", "6", "|"])
    }
    check(DriverSharingStrategy.self)
    check(SignalSharingStrategy.self)
    check(InfallibleStrategy.self)
  }

  @Test func `a custom sharing strategy shares and delivers by its rules`() {
    let scheduler = TestScheduler(initialClock: 0)
    let late = scheduler.createObserver(String.self)
    SharingScheduler.mock(scheduler: scheduler) {
      let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(230, 3)])
      let texts = source.asSharedSequence(
        sharingStrategy: Remembering.self, onErrorJustReturn: 0
      ).map { "\($0)" }.asObservable()
      scheduler.scheduleAt(225) { _ = texts.subscribe(late) }
      #expect(
        scheduler.start { texts }.events == [.next(211, "1"), .next(221, "2"), .next(231, "3")])
      #expect(source.subscriptions == [Subscription(200)])
    }
    #expect(late.events == [.next(225, "1"), .next(225, "2"), .next(231, "3")])
  }

  @Test func `SharingScheduler.mock restores the scheduler after its action, also when it throws`()
  {
    let (first, second) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
    func isCurrent(_ scheduler: TestScheduler) -> Bool {
      DriverSharingStrategy.scheduler as? TestScheduler === scheduler
        && SignalSharingStrategy.scheduler as? TestScheduler === scheduler
        && InfallibleStrategy.scheduler as? TestScheduler === scheduler
        && SharingScheduler.make() as? TestScheduler === scheduler
    }
    SharingScheduler.mock(scheduler: first) {
      #expect(isCurrent(first))
      #expect(throws: TestError.self) {
        try SharingScheduler.mock(makeScheduler: { second }) {
          #expect(isCurrent(second))
          throw TestError.any
        }
      }
      #expect(isCurrent(first))
    }
    #expect(DriverSharingStrategy.scheduler is MainScheduler)
  }

  @Test func `SharingScheduler.mock affects only its own thread`() {
    let replaced = TestScheduler(initialClock: 0)
    SharingScheduler.mock(scheduler: replaced) {
      onAnotherThread {
        let other = TestScheduler(initialClock: 0)
        #expect(DriverSharingStrategy.scheduler is MainScheduler)
        SharingScheduler.mock(scheduler: other) {
          #expect(DriverSharingStrategy.scheduler as? TestScheduler === other)
        }
      }
      #expect(DriverSharingStrategy.scheduler as? TestScheduler === replaced)
    }
  }
}

private struct Remembering: SharingStrategyProtocol {
  static var scheduler: any SchedulerType { SharingScheduler.make() }
  static func share<Element>(_ source: Observable<Element>) -> Observable<Element> {
    source.share(replay: 2)
  }
}
