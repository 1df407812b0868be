import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// Behaviour for arguments at and beyond their limits.
@Suite("Extreme arguments", .workerPool)
struct BadInputTests {
  private static let odd: [RxTimeInterval] = [
    .seconds(0), .seconds(-1), .milliseconds(.min), .nanoseconds(-1), .seconds(.max), .never,
  ]

  @Test func `operators and creation functions complete for empty lists`() {
    #expect(Observable<Int>.merge([Observable<Int>]()).recorded() == "|")
    #expect(Observable<Int>.merge().recorded() == "|")
    #expect(Observable<Int>.concat([Observable<Int>]()).recorded() == "|")
    #expect(Observable<Int>.concat().recorded() == "|")
    #expect(Observable<Int>.of().recorded() == "|")
    #expect(Observable<Int>.from([Int]()).recorded() == "|")
    #expect(Observable<Int>.range(start: 1, count: 0).recorded() == "|")
    #expect(Observable<Int>.range(start: .max, count: 1).recorded() == "\(Int.max) |")
    #expect(Observable.just(1).startWith().recorded() == "1 |")
    #expect(Observable.zip([Observable<Int>]()) { $0.count }.recorded() == "|")
    #expect(Observable.combineLatest([Observable<Int>]()) { $0.count }.recorded() == "0 |")
  }

  @Test(arguments: [Int.min, -1, 0])
  func `merge with a maxConcurrent below one runs one observable at a time`(maxConcurrent: Int) {
    let sources = Observable.of(Observable.of(1, 2), Observable.of(3, 4))
    #expect(sources.merge(maxConcurrent: maxConcurrent).recorded() == "1 2 3 4 |")
  }

  @Test(arguments: [Int.min, -1, 0])
  func `buffer and window with a count below one are bounded by their time alone`(count: Int) {
    let scheduler = TestScheduler(initialClock: 0)
    let source = Observable.of(1, 2, 3)
    let (buffers, windows) = (EventRecorder<String>(), EventRecorder<String>())
    _ = source.buffer(timeSpan: .seconds(5), count: count, scheduler: scheduler)
      .map { $0.reduce(0, +) }.record(in: buffers)
    _ = source.window(timeSpan: .seconds(5), count: count, scheduler: scheduler)
      .flatMap { $0.reduce(0) { $0 + $1 } }.record(in: windows)
    scheduler.start()
    #expect(buffers.text == "6 |")
    #expect(windows.text == "6 |")
  }

  @Test(arguments: odd)
  func `operators of time accept zero, negative and infinite intervals`(time: RxTimeInterval) {
    let scheduler = TestScheduler(initialClock: 0)
    let isNever = time.nanoseconds > 1_000_000_000_000
    let subject = PublishSubject<Int>()
    let logs = (0..<5).map { _ in EventRecorder<String>() }
    let bag = DisposeBag()
    subject.debounce(time, scheduler: scheduler).record(in: logs[0]).disposed(by: bag)
    subject.throttle(time, scheduler: scheduler).record(in: logs[1]).disposed(by: bag)
    subject.delay(time, scheduler: scheduler).record(in: logs[2]).disposed(by: bag)
    Observable<Int>.interval(time, scheduler: scheduler).take(2).record(in: logs[3])
      .disposed(by: bag)
    subject.timeout(time, scheduler: scheduler).record(in: logs[4]).disposed(by: bag)
    subject.onNext(1)
    scheduler.advanceTo(100)
    subject.onNext(2)
    scheduler.advanceTo(200)
    subject.onCompleted()
    scheduler.advanceTo(300)
    #expect(logs[0].text == (isNever ? "2 |" : "1 2 |"))
    #expect(logs[1].text == (isNever ? "1" : "1 2 |"))
    #expect(logs[2].text == (isNever ? "" : "1 2 |"))
    #expect(logs[3].text == (isNever ? "" : "0 1 |"))
    #expect(logs[4].text == (isNever ? "1 2 |" : "1 x"))
  }

  @Test func `a released dispatch scheduler finishes its scheduled work`() async {
    let done = Latch(3)
    func awaitEnd(_ observable: Observable<Int>) {
      // A subscription continues when its disposable is released.
      _ = observable.subscribe(onCompleted: { done.open() })
    }
    awaitEnd(.timer(.milliseconds(2), scheduler: SerialDispatchQueueScheduler(qos: .userInitiated)))
    awaitEnd(
      Observable.just(1)
        .delay(.milliseconds(2), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
    )
    awaitEnd(
      Observable<Int>.of(1, 2, 3).observe(on: SerialDispatchQueueScheduler(qos: .userInitiated))
    )
    await done.opened(within: 30)
  }

  /// Violated preconditions, as RxSwift documents them.
  enum Mistake: String, CaseIterable, Codable, Sendable {
    case range, rangeTooLarge, take, takeLast, elementAt, retry, share, replay, timeTravel

    func make() {
      switch self {
      case .range: _ = Observable<Int>.range(start: 0, count: -1)
      case .rangeTooLarge: _ = Observable<Int8>.range(start: 100, count: 100)
      case .take: _ = Observable.just(1).take(-1)
      case .takeLast: _ = Observable.just(1).takeLast(-1)
      case .elementAt: _ = Observable.just(1).element(at: -1)
      case .retry: _ = Observable.just(1).retry(-1)
      case .share: _ = Observable.just(1).share(replay: -1)
      case .replay: _ = ReplaySubject<Int>.create(bufferSize: -1)
      case .timeTravel: TestScheduler(initialClock: 10).advanceTo(5)
      }
    }
  }

  // Swift Testing of 6.2 captures no values in exit tests.
  #if compiler(>=6.3)
  @Test(arguments: Mistake.allCases)
  func `an argument that breaks a precondition traps`(mistake: Mistake) async {
    await #expect(processExitsWith: .failure) { [mistake] in mistake.make() }
  }
  #endif
}
