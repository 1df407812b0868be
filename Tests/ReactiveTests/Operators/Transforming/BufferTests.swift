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

  @Test func `a buffer is emitted when it is full or its time is over`() {
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

  @Test func `an error drops what the buffer holds`() {
    #expect(
      play("-ab-x") { $0.buffer(timeSpan: .seconds(9), count: 5, scheduler: $1) } == "----x")
  }

  @Test func `disposal drops it too, and the timer`() {
    let observer = scheduler.start(disposed: 360) {
      source.buffer(timeSpan: .seconds(70), count: 3, scheduler: scheduler).map(\.count)
    }
    #expect(observer.events == [.next(240, 3), .next(310, 1)])
    #expect(source.subscriptions == [Subscription(200, 360)])
  }

  @Test func `a timer that had begun to fire when the buffer was full emits nothing`() {
    let (source, scheduler, log) = (PublishSubject<Int>(), HandScheduler(), Log<String>())
    let subscription = source.buffer(timeSpan: .seconds(2), count: 2, scheduler: scheduler)
      .write(to: log)
    source.onNext(1)
    source.onNext(2)
    source.onNext(3)
    scheduler.fire(0)
    #expect(log.entries == ["[1, 2]"])
    scheduler.fire(1)
    #expect(log.entries == ["[1, 2]", "[3]"])
    subscription.dispose()
  }

  @Test func `a window ends when it is full or its time is over`() {
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

  @Test func `an error is the end of the open window and of the result`() {
    let (source, log) = (PublishSubject<Int>(), Log<String>())
    let windows = source.window(timeSpan: .seconds(9), count: 2, scheduler: scheduler)
    _ = windows.flatMap { $0.materialize().map { $0.isStopEvent ? "end" : "next" } }.write(to: log)
    source.onNext(1)
    source.onError(TestError.any)
    #expect(log.entries == ["next", "end", "x"])
  }

  @Test func `the source runs while a window is observed`() {
    let (source, log) = (PublishSubject<Int>(), Log<String>())
    let bag = DisposeBag()
    let result = source.window(timeSpan: .seconds(9), count: 5, scheduler: scheduler)
      .subscribe(onNext: { $0.write(to: log).disposed(by: bag) })
    result.dispose()
    source.onNext(1)
    #expect(log.entries == ["1"])
    bag.dispose()
    #expect(!source.hasObservers)
  }

  @Test func `disposal of a window that nobody observes ends the source`() {
    let source = PublishSubject<Int>()
    let windows = source.window(timeSpan: .seconds(9), count: 5, scheduler: scheduler)
    windows.subscribe().dispose()
    #expect(!source.hasObservers)
  }

  @Test(arguments: ["buffer", "window"])
  func `a timer that fires before it is in its place is not the last`(name: String) {
    let impatient = ImpatientScheduler(scheduler: scheduler)
    let log = Log<Int>()
    let source = Observable<Int>.never()
    let rounds =
      name == "buffer"
      ? source.buffer(timeSpan: .seconds(10), count: 2, scheduler: impatient).map { _ in 0 }
      : source.window(timeSpan: .seconds(10), count: 2, scheduler: impatient).map { _ in 0 }
    let subscription = rounds.subscribe(onNext: { log.append($0) })
    let atOnce = log.entries.count
    scheduler.advanceTo(35)
    #expect(log.entries.count == atOnce + 3)
    subscription.dispose()
  }
}

/// Fires its first timer on another thread, before the caller has got hold of it.
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
    let fire = Transferable { _ = action(state) }
    onAnotherThread { fire.value() }
    return Disposables.create()
  }
}
