import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct ControlEventTests {
  private let taps = PublishSubject<Int>()
  private let log = EventRecorder<String>()

  @Test func `a control event emits events and no initial element`() {
    let event = ControlEvent(events: taps)
    let subscription = event.asControlEvent().record(in: log)
    taps.onNext(1)
    taps.onCompleted()
    #expect(log.events == ["1", "|"])
    subscription.dispose()
  }

  @Test func `a control event subscribes and disposes at once on the main thread`() {
    let event = ControlEvent(events: taps)
    _ = MainScheduler().schedule(()) {
      let subscription = event.record(in: log)
      #expect(taps.hasObservers)
      subscription.dispose()
      #expect(!taps.hasObservers)
      return Disposables.create()
    }
  }

  @Test func `a control event subscribes on the main thread from another thread`() async {
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
    #expect(log.events == ["returned", "true"])
  }

  @Test func `a control event converts to a driver, a signal and an infallible`() {
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

  @Test func `a converted control event completes on an error`() {
    let event = ControlEvent(events: Observable<Int>.error(TestError(name: "control event")))
    #expect(mocked { _ in event.asDriver() } == [.completed(201)])
    #expect(mocked { _ in event.asSignal() } == [.completed(201)])
    #expect(event.asInfallible().asObservable().recorded() == "|")
  }
}
