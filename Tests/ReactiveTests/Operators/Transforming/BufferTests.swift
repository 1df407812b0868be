import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct BufferTests {
  let scheduler = TestScheduler(initialClock: 0)
  let source: TestableObservable<Int>

  init() {
    source = scheduler.createHotObservable([
      .next(105, 0), .next(205, 1), .next(210, 2), .next(240, 3), .next(280, 4), .next(320, 5),
      .next(350, 6), .next(370, 7), .next(420, 8), .next(470, 9), .completed(600),
    ])
  }

  @Test func `buffer emits when it is full or its duration has passed`() {
    let observer = scheduler.start {
      source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler)
    }
    #expect(
      observer.events == [
        .next(240, [1, 2, 3]), .next(310, [4]), .next(370, [5, 6, 7]), .next(440, [8]),
        .next(510, [9]), .next(580, []), .next(600, []), .completed(600),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 600)])
  }

  @Test func `buffer drops its elements on an error`() {
    #expect(
      play("-ab-x") { $0.buffer(timeSpan: .seconds(9), count: 5, scheduler: $1) } == "----x")
  }

  @Test func `disposal of buffer drops its elements and the timer`() {
    let observer = scheduler.start(disposed: 360) {
      source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler).map(\.count)
    }
    #expect(observer.events == [.next(240, 3), .next(310, 1)])
    #expect(source.subscriptions == [Subscription(200, 360)])
  }

  @Test func `buffer ignores a replaced timer that fires late`() {
    let (source, scheduler, log) = (
      PublishSubject<Int>(), ManualScheduler(), EventRecorder<String>()
    )
    let subscription = source.buffer(timeSpan: .seconds(2), count: 2, scheduler: scheduler)
      .record(in: log)
    source.onNext(1)
    source.onNext(2)
    source.onNext(3)
    scheduler.fire(0)
    #expect(log.events == ["[1, 2]"])
    scheduler.fire(1)
    #expect(log.events == ["[1, 2]", "[3]"])
    subscription.dispose()
  }

  @Test func `window completes a window when it is full or its duration has passed`() {
    let observer = scheduler.start {
      source.window(timeSpan: .seconds(70), count: 3, scheduler: scheduler).enumerated()
        .flatMap { index, window in
          window.map { "\(index) \($0)" }.concat(Observable.just("\(index) end"))
        }
    }
    #expect(
      observer.events == [
        .next(205, "0 1"), .next(210, "0 2"), .next(240, "0 3"), .next(240, "0 end"),
        .next(280, "1 4"), .next(310, "1 end"), .next(320, "2 5"), .next(350, "2 6"),
        .next(370, "2 7"), .next(370, "2 end"), .next(420, "3 8"), .next(440, "3 end"),
        .next(470, "4 9"), .next(510, "4 end"), .next(580, "5 end"), .next(600, "6 end"),
        .completed(600),
      ]
    )
    #expect(source.subscriptions == [Subscription(200, 600)])
  }

  @Test func `window ends the open window and the result with an error`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let windows = source.window(timeSpan: .seconds(9), count: 2, scheduler: scheduler)
    _ = windows.flatMap { $0.materialize().map { $0.isStopEvent ? "end" : "next" } }.record(in: log)
    source.onNext(1)
    source.onError(TestError.any)
    #expect(log.events == ["next", "end", "x"])
  }

  @Test func `window keeps its source subscribed while a window is observed`() {
    let (source, log) = (PublishSubject<Int>(), EventRecorder<String>())
    let bag = DisposeBag()
    let result = source.window(timeSpan: .seconds(9), count: 5, scheduler: scheduler)
      .subscribe(onNext: { $0.record(in: log).disposed(by: bag) })
    result.dispose()
    source.onNext(1)
    #expect(log.events == ["1"])
    bag.dispose()
    #expect(!source.hasObservers)
  }

  @Test func `window disposes of its source when no window is observed`() {
    let source = PublishSubject<Int>()
    let windows = source.window(timeSpan: .seconds(9), count: 5, scheduler: scheduler)
    windows.subscribe().dispose()
    #expect(!source.hasObservers)
  }

  @Test(arguments: ["buffer", "window"])
  func `buffer and window continue when a timer fires during its scheduling`(name: String) {
    let impatient = ImpatientScheduler(scheduler: scheduler)
    let log = EventRecorder<Int>()
    let source = Observable<Int>.never()
    let rounds =
      name == "buffer"
      ? source.buffer(timeSpan: .seconds(10), count: 2, scheduler: impatient).map { _ in 0 }
      : source.window(timeSpan: .seconds(10), count: 2, scheduler: impatient).map { _ in 0 }
    let subscription = rounds.subscribe(onNext: { log.append($0) })
    let atOnce = log.events.count
    scheduler.advanceTo(35)
    #expect(log.events.count == atOnce + 3)
    subscription.dispose()
  }
}

/// Fires its first timer on another thread before it returns the disposable.
private final class ImpatientScheduler: SchedulerType {
  private let scheduler: TestScheduler
  private let isFirst = Locked(true)

  init(scheduler: TestScheduler) { self.scheduler = scheduler }

  var now: RxTime { scheduler.now }

  func schedule<StateType>(
    _ state: StateType, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable { scheduler.schedule(state, action: action) }

  func scheduleRelative<StateType>(
    _ state: StateType, dueTime: RxTimeInterval, action: @escaping (StateType) -> any Disposable
  ) -> any Disposable {
    guard isFirst.replace(with: false) else {
      return scheduler.scheduleRelative(state, dueTime: dueTime, action: action)
    }
    let fire = UncheckedSendable { _ = action(state) }
    onAnotherThread { fire.value() }
    return Disposables.create()
  }
}
