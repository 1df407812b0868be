import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// What makes no sense is defined all the same.
@Suite("Bad input", .workerPool)
struct BadInputTests {
  private static let odd: [RxTimeInterval] = [
    .seconds(0), .seconds(-1), .milliseconds(.min), .nanoseconds(-1), .seconds(.max), .never,
  ]

  @Test func `no sources and no elements are nothing`() {
    #expect(Observable<Int>.merge([Observable<Int>]()).written() == "|")
    #expect(Observable<Int>.merge().written() == "|")
    #expect(Observable<Int>.concat([Observable<Int>]()).written() == "|")
    #expect(Observable<Int>.concat().written() == "|")
    #expect(Observable<Int>.of().written() == "|")
    #expect(Observable<Int>.from([Int]()).written() == "|")
    #expect(Observable<Int>.range(start: 1, count: 0).written() == "|")
    #expect(Observable<Int>.range(start: .max, count: 1).written() == "\(Int.max) |")
    #expect(Observable.just(1).startWith().written() == "1 |")
    #expect(Observable.zip([Observable<Int>]()) { $0.count }.written() == "|")
    #expect(Observable.combineLatest([Observable<Int>]()) { $0.count }.written() == "0 |")
  }

  @Test(arguments: [Int.min, -1, 0])
  func `fewer than one at a time is one at a time`(maxConcurrent: Int) {
    let sources = Observable.of(Observable.of(1, 2), Observable.of(3, 4))
    #expect(sources.merge(maxConcurrent: maxConcurrent).written() == "1 2 3 4 |")
  }

  @Test(arguments: [Int.min, -1, 0])
  func `a buffer or a window of less than one element is bounded by its time alone`(count: Int) {
    let scheduler = TestScheduler(initialClock: 0)
    let source = Observable.of(1, 2, 3)
    let (buffers, windows) = (Log<String>(), Log<String>())
    _ = source.buffer(timeSpan: .seconds(5), count: count, scheduler: scheduler)
      .map { $0.reduce(0, +) }.write(to: buffers)
    _ = source.window(timeSpan: .seconds(5), count: count, scheduler: scheduler)
      .flatMap { $0.reduce(0) { $0 + $1 } }.write(to: windows)
    scheduler.start()
    #expect(buffers.text == "6 |")
    #expect(windows.text == "6 |")
  }

  @Test(arguments: odd)
  func `times that are zero, negative or never`(time: RxTimeInterval) {
    let scheduler = TestScheduler(initialClock: 0)
    let isNever = time.nanoseconds > 1_000_000_000_000
    let subject = PublishSubject<Int>()
    let logs = (0..<5).map { _ in Log<String>() }
    let bag = DisposeBag()
    subject.debounce(time, scheduler: scheduler).write(to: logs[0]).disposed(by: bag)
    subject.throttle(time, scheduler: scheduler).write(to: logs[1]).disposed(by: bag)
    subject.delay(time, scheduler: scheduler).write(to: logs[2]).disposed(by: bag)
    Observable<Int>.interval(time, scheduler: scheduler).take(2).write(to: logs[3])
      .disposed(by: bag)
    subject.timeout(time, scheduler: scheduler).write(to: logs[4]).disposed(by: bag)
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

  @Test func `a scheduler that nobody keeps finishes its work`() async {
    let done = Latch(3)
    func hear(_ observable: Observable<Int>) {
      // A subscription that nobody keeps goes on.
      _ = observable.subscribe(onCompleted: { done.open() })
    }
    hear(.timer(.milliseconds(2), scheduler: SerialDispatchQueueScheduler(qos: .userInitiated)))
    hear(
      Observable.just(1)
        .delay(.milliseconds(2), scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
    )
    hear(
      Observable<Int>.of(1, 2, 3).observe(on: SerialDispatchQueueScheduler(qos: .userInitiated))
    )
    await done.opened(within: 30)
  }

  /// Programmers' errors, as RxSwift documents them.
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

  @Test(arguments: Mistake.allCases)
  func `a programmer's error traps`(mistake: Mistake) async {
    await #expect(processExitsWith: .failure) { [mistake] in mistake.make() }
  }
}
