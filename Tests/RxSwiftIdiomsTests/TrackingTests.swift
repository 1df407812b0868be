import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Helpers of many apps: activity indicators, error trackers and retries.

/// Counts running requests; a driver that emits whether any runs.
final class ActivityIndicator: SharedSequenceConvertibleType, @unchecked Sendable {
  typealias Element = Bool
  typealias SharingStrategy = DriverSharingStrategy

  private let lock = NSRecursiveLock()
  private let count = BehaviorRelay(value: 0)
  private let loading: SharedSequence<SharingStrategy, Bool>

  init() { loading = count.asDriver().map { $0 > 0 }.distinctUntilChanged() }

  func asSharedSequence() -> SharedSequence<SharingStrategy, Element> { loading }

  fileprivate func track<Source: ObservableConvertibleType>(_ source: Source)
    -> Observable<Source.Element>
  {
    let source = source.asObservable()
    return Observable.using(
      { () -> ActivityToken in
        self.change(by: 1)
        return ActivityToken { self.change(by: -1) }
      }, observableFactory: { _ in source })
  }

  private func change(by difference: Int) {
    lock.lock()
    count.accept(count.value + difference)
    lock.unlock()
  }
}

private struct ActivityToken: Disposable {
  private let disposable: any Cancelable

  init(_ action: @escaping @Sendable () -> Void) { disposable = Disposables.create(with: action) }

  func dispose() { disposable.dispose() }
}

extension ObservableConvertibleType {
  func trackActivity(_ indicator: ActivityIndicator) -> Observable<Element> {
    indicator.track(self)
  }
}

/// Collects the errors of many sources.
final class ErrorTracker: SharedSequenceConvertibleType, Sendable {
  typealias SharingStrategy = SignalSharingStrategy

  private let errors = PublishSubject<any Error>()

  func asSharedSequence() -> Signal<any Error> {
    errors.asSignal(onErrorSignalWith: .empty())
  }

  func asObservable() -> Observable<any Error> { errors.asObservable() }

  func onError(_ error: any Error) { errors.onNext(error) }
}

extension ObservableConvertibleType {
  func trackError(_ tracker: ErrorTracker) -> Observable<Element> {
    asObservable().do(onError: { tracker.onError($0) })
  }
}

extension ObservableType {
  func retryWithDelay(_ attempts: Int, scheduler: any SchedulerType) -> Observable<Element> {
    retry { errors in
      errors.enumerated().flatMap { attempt, error -> Observable<Int> in
        guard attempt < attempts else { return .error(error) }
        return .timer(.seconds(attempt + 1), scheduler: scheduler)
      }
    }
  }
}

@MainActor
@Suite(.workerPool) struct TrackingTests {
  @Test func `an activity indicator counts running requests`() {
    onTestClock { scheduler in
      let indicator = ActivityIndicator()
      let observer = scheduler.createObserver(Bool.self)
      let request = PublishSubject<Int>()
      _ = indicator.drive(observer)
      scheduler.scheduleAt(10) { _ = request.trackActivity(indicator).subscribe() }
      scheduler.scheduleAt(20) { request.onCompleted() }
      scheduler.start()
      #expect(observer.elements == [false, true, false])
    }
  }

  @Test func `an error tracker collects the errors of requests`() {
    onTestClock { scheduler in
      let tracker = ErrorTracker()
      let observer = scheduler.createObserver(String.self)
      _ = tracker.asSharedSequence().map { "\($0)" }.emit(to: observer)
      scheduler.scheduleAt(10) {
        _ = Observable<Int>.error(AppError.offline).trackError(tracker).catchAndReturn(0)
          .subscribe()
      }
      scheduler.start()
      #expect(observer.elements == ["offline"])
    }
  }

  @Test func `a request is retried with increasing delays`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createColdObservable(
      [.error(10, AppError.offline)] as [Recorded<Event<Int>>])
    let events = scheduler.start { source.retryWithDelay(2, scheduler: scheduler) }.events
    #expect(events == [.error(233, AppError.offline)])
    #expect(source.subscriptions.count == 3)
  }

  @Test func `taps are ignored while a request runs`() {
    let scheduler = TestScheduler(initialClock: 0)
    let taps = scheduler.createHotObservable([.next(210, 1), .next(215, 2), .next(230, 3)])
    let request = scheduler.createColdObservable([.next(10, "done"), .completed(10)])
    let events = scheduler.start { taps.flatMapFirst { _ in request } }.events
    #expect(events == [.next(220, "done"), .next(240, "done")])
  }
}
