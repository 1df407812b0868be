import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Combinations of drivers, signals and infallibles.
@MainActor
@Suite(.workerPool) struct SharedSequenceKindsTests {
  private let log = EventRecorder<String>()
  private let bag = DisposeBag()

  /// Runs `body` with a test scheduler as the main queue.
  private func run(_ body: (TestScheduler) -> Void) -> [String] {
    let scheduler = TestScheduler(initialClock: 0)
    SharingScheduler.mock(scheduler: scheduler) { body(scheduler) }
    scheduler.start()
    return log.events
  }

  private func write<Strategy>(_ sequence: SharedSequence<Strategy, Int>) {
    sequence.asObservable().record(in: log).disposed(by: bag)
  }

  @Test func `flatMap of a driver to signals returns a signal and vice versa`() {
    let received = run { _ in
      let signal: Signal<Int> = Driver.of(1, 2).flatMap { Signal.just($0 * 10) }
      write(signal)
      let driver: Driver<Int> = Signal.just(3).flatMapLatest { Driver.just($0 * 10) }
      write(driver)
      let first: Signal<Int> = Driver.just(4).flatMapFirst { Signal.just($0 * 10) }
      write(first)
    }
    #expect(received.sorted() == ["10", "20", "30", "40", "|", "|", "|"])
  }

  @Test func `merge and switchLatest of shared sequences return the inner kind`() {
    let received = run { _ in
      let merged: Signal<Int> = Driver.of(Signal.just(1), Signal.just(2)).merge()
      write(merged)
      let bounded: Driver<Int> = Signal.of(Driver.just(3), Driver.just(4)).merge(maxConcurrent: 1)
      write(bounded)
      let latest: Driver<Int> = Signal.just(Driver.just(5)).switchLatest()
      write(latest)
    }
    #expect(received.sorted() == ["1", "2", "3", "4", "5", "|", "|", "|"])
  }

  @Test func `withLatestFrom combines signals and drivers`() {
    let received = run { _ in
      let driver = BehaviorRelay(value: 7).asDriver()
      let taps = PublishRelay<Int>()
      let (tapped, summed) = (taps.asSignal().withLatestFrom(driver), taps.asSignal())
      write(tapped)
      write(summed.withLatestFrom(driver) { $0 + $1 })
      let numbers = BehaviorRelay(value: 1)
      write(numbers.asDriver().withLatestFrom(Signal.just(5)))
      taps.accept(1)
    }
    #expect(received.contains("7") && received.contains("8"))
  }

  @Test func `a driver made by flatMap of an infallible ends on the main queue`() async {
    let source = PublishSubject<Int>()
    let ended = Latch()
    let driver: Driver<Int> = source.asInfallible(onErrorJustReturn: 0)
      .flatMap { Driver.just($0) }
    driver.drive(onCompleted: {
      MainScheduler.ensureExecutingOnScheduler()
      ended.open()
    }).disposed(by: bag)
    onAnotherThread { source.onCompleted() }
    await ended.opened()
  }
}
