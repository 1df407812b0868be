import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct ControlEventTests {
  private let taps = PublishSubject<Int>()
  private let log = Log<String>()

  @Test func `emits what happens, and nothing because it is subscribed`() {
    let event = ControlEvent(events: taps)
    let subscription = event.asControlEvent().write(to: log)
    taps.onNext(1)
    taps.onCompleted()
    #expect(log.entries == ["1", "|"])
    subscription.dispose()
  }

  @Test func `is subscribed and left at once on main, also inside of what runs there`() {
    let event = ControlEvent(events: taps)
    _ = MainScheduler().schedule(()) {
      let subscription = event.write(to: log)
      #expect(taps.hasObservers)
      subscription.dispose()
      #expect(!taps.hasObservers)
      return Disposables.create()
    }
  }

  @Test func `is subscribed on main when that is asked for elsewhere`() async {
    let (log, subscribed) = (log, Latch())
    let event = ControlEvent(
      events: Observable<Int>.deferred {
        log.append("\(MainScheduler.isCurrent)")
        subscribed.open()
        return .never()
      })
    onAnotherThread {
      _ = event.subscribe()
      log.append("returned")
    }
    await subscribed.opened()
    #expect(log.entries == ["returned", "true"])
  }

  @Test func `becomes a driver, a signal or an infallible`() {
    func events<Result: ObservableConvertibleType>(
      _ convert: @escaping (ControlEvent<Int>) -> Result
    ) -> [Recorded<Event<Result.Element>>] {
      mocked { scheduler in
        convert(ControlEvent(events: scheduler.createHotObservable([.next(210, 1)])))
      }
    }
    #expect(events { $0.asDriver() } == [.next(211, 1)])
    #expect(events { $0.asSignal() } == [.next(211, 1)])
    #expect(events { $0.asInfallible() } == [.next(210, 1)])
  }

  @Test func `an error that was promised not to come completes it`() {
    let event = ControlEvent(events: Observable<Int>.error(TestError(name: "control event")))
    #expect(mocked { _ in event.asDriver() } == [.completed(201)])
    #expect(mocked { _ in event.asSignal() } == [.completed(201)])
    #expect(event.asInfallible().asObservable().written() == "|")
  }
}
