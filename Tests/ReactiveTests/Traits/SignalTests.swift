import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Signals deliver on the main actor.
@MainActor
@Suite(.workerPool(limit: 300)) struct SignalTests {
  private let relay = PublishRelay<Int>()
  private let log = EventRecorder<String>()

  @Test func `a signal shares one subscription and replays nothing`() {
    let scheduler = TestScheduler(initialClock: 0)
    let late = scheduler.createObserver(Int.self)
    SharingScheduler.mock(scheduler: scheduler) {
      let source = scheduler.createHotObservable([.next(210, 1), .next(230, 2), .completed(240)])
      let signal = source.asSignal(onErrorJustReturn: 0)
      scheduler.scheduleAt(220) { _ = signal.asObservable().subscribe(late) }
      #expect(
        scheduler.start { signal }.events == [.next(211, 1), .next(231, 2), .completed(241)])
      #expect(source.subscriptions == [Subscription(200, 240)])
    }
    #expect(late.events == [.next(231, 2), .completed(241)])
  }

  @Test func `asSignal replaces an error by an element, a signal or a closure's result`() {
    func recovered(_ recover: @escaping (Observable<Int>) -> Signal<Int>) -> [String] {
      mocked { _ in recover(.error(TestError.any)) }.map { text($0.value) }
    }
    #expect(recovered { $0.asSignal(onErrorJustReturn: 7) } == ["7", "|"])
    #expect(recovered { $0.asSignal(onErrorSignalWith: .just(8)) } == ["8", "|"])
    #expect(recovered { $0.asSignal(onErrorRecover: { _ in .just(9) }) } == ["9", "|"])
  }

  @Test func `asSignal of a relay delivers on the scheduler`() {
    let events = mocked { scheduler in
      let relay = self.relay
      scheduler.scheduleAt(210) { relay.accept(1) }
      return relay.asSignal().asSignal()
    }
    #expect(events == [.next(211, 1)])
  }

  @Test func `a signal emits to closures, observers and relays`() {
    let (one, other) = (PublishRelay<Int>(), PublishRelay<Int>())
    let optional = BehaviorRelay<Int?>(value: nil)
    let (subject, optionals) = (PublishSubject<Int>(), PublishSubject<Int?>())
    let bag = DisposeBag()
    one.record(in: log, "one ").disposed(by: bag)
    other.record(in: log, "other ").disposed(by: bag)
    subject.record(in: log, "subject ").disposed(by: bag)
    optionals.map { "\($0 ?? 0)" }.record(in: log, "optionals ").disposed(by: bag)
    inMockedTime { scheduler in
      let signal = scheduler.createHotObservable([.next(210, 1), .completed(220)]).asSignal(
        onErrorJustReturn: 0)
      _ = signal.emit(to: one, other)
      _ = signal.emit(to: optional)
      _ = signal.emit(to: subject)
      _ = signal.emit(to: optionals)
      _ = signal.emit()
      let log = log
      _ = signal.emit(
        onNext: { log.append("closure \($0)") }, onCompleted: { log.append("closure |") },
        onDisposed: { log.append("closure disposed") })
    }
    #expect(optional.value == 1)
    #expect(
      log.events == [
        "one 1", "other 1", "subject 1", "optionals 1", "closure 1", "subject |", "optionals |",
        "closure |", "closure disposed",
      ])
  }

  @Test func `emit(with:) holds its object weakly and calls nothing after its release`() {
    let log = log
    var token: Token? = Token()
    weak let seen = token
    inMockedTime { scheduler in
      let signal = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
        .asSignal(onErrorJustReturn: 0)
      _ = signal.emit(
        with: token ?? Token(), onNext: { log.append("\(type(of: $0)) \($1)") },
        onCompleted: { _ in log.append("|") }, onDisposed: { _ in log.append("disposed") })
      scheduler.scheduleAt(215) {
        token = nil
        #expect(seen == nil)
      }
    }
    #expect(log.events == ["Token 1"])
  }

  @Test func `emit(with:) calls onCompleted and onDisposed with its object`() {
    let (log, token) = (log, Token())
    inMockedTime { _ in
      _ = Signal.just(1).emit(
        with: token, onNext: { log.append("\($1)") }, onCompleted: { _ in log.append("|") },
        onDisposed: { _ in log.append("disposed") })
    }
    #expect(log.events == ["1", "|", "disposed"])
  }

  @Test func `Signal.values delivers all elements`() async {
    var elements: [Int] = []
    for await element in Signal.of(1, 2).values { elements.append(element) }
    #expect(elements == [1, 2])
  }

  @Test func `emit off main subscribes and delivers on main`() async {
    let log = EventRecorder<String>()
    let (signal, ended) = (Signal.just(1), Latch())
    onAnotherThread {
      _ = signal.emit(
        onNext: { _ in
          MainActor.assertIsolated()
          log.append("next")
        }, onCompleted: { log.append("completed") }, onDisposed: { ended.open() })
      log.append("emitting")
    }
    await ended.opened()
    #expect(log.events == ["emitting", "next", "completed"])
  }
}
