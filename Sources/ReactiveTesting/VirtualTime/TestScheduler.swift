import Reactive

/// A scheduler for tests.
///
/// Its time is counted in ticks, and advances only when a test starts or advances it.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(250)])
/// let observer = scheduler.start { source.map { $0 * 10 } }
/// #expect(observer.events == [.next(210, 10), .next(220, 20), .completed(250)])
/// #expect(source.subscriptions == [Subscription(200, 250)])
/// ```
public class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>,
  @unchecked Sendable
{
  /// The default times of `start`.
  public enum Defaults {
    /// The observable is created.
    public static let created: TestTime = 100
    /// The observable is subscribed.
    public static let subscribed: TestTime = 200
    /// The subscription is disposed of.
    public static let disposed: TestTime = 1000
  }

  // Immutable.
  private let simulateProcessingDelay: Bool

  /// A scheduler whose clock shows `initialClock`.
  ///
  /// - Parameters:
  ///   - initialClock: first time, in ticks.
  ///   - resolution: seconds of one tick; 1 by default.
  ///   - simulateProcessingDelay: true to run work that is scheduled for the current time, or
  ///     earlier, one tick later; true by default.
  public init(
    initialClock: TestTime,
    resolution: Double = 1,
    simulateProcessingDelay: Bool = true
  ) {
    self.simulateProcessingDelay = simulateProcessingDelay
    let converter = TestSchedulerVirtualTimeConverter(resolution: resolution)
    super.init(initialClock: initialClock, converter: converter)
  }

  /// `time`, or the earliest allowed time when `time` is earlier: the clock, plus one tick when
  /// processing delay is simulated.
  public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
    max(time, simulateProcessingDelay && clock < .max ? clock + 1 : clock)
  }

  /// An observable that emits `events` at their times, with or without observers.
  public func createHotObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .hot(events, self)
  }

  /// An observable that emits `events` to each observer, at their times after the subscription.
  public func createColdObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .cold(events, self)
  }

  /// An observer that records events of `type` with their times.
  public func createObserver<Element>(_ type: Element.Type) -> TestableObserver<Element> {
    TestableObserver(self)
  }

  /// Runs `action` at `time`.
  public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
    _ = scheduleAbsoluteVirtual((), time: time) {
      action()
      return Disposables.create()
    }
  }

  /// Creates an observable, subscribes it and disposes of the subscription at the given times.
  ///
  /// Runs until no work is scheduled.
  ///
  /// - Returns: an observer with the recorded events.
  public func start<Source: ObservableConvertibleType>(
    created: TestTime,
    subscribed: TestTime,
    disposed: TestTime,
    create: @escaping () -> Source
  ) -> TestableObserver<Source.Element> {
    let observer = createObserver(Source.Element.self)
    let source = Ref<Source?>(nil)
    let subscription = SerialDisposable()
    scheduleAt(created) { source.value = create() }
    scheduleAt(subscribed) {
      guard let source = source.value else { return }
      subscription.disposable = source.asObservable().subscribe(observer)
    }
    scheduleAt(disposed) {
      subscription.dispose()
      source.value = nil
    }
    start()
    return observer
  }

  /// Creates an observable at 100, subscribes it at 200 and disposes of the subscription at
  /// `disposed`.
  ///
  /// Runs until no work is scheduled.
  public func start<Source: ObservableConvertibleType>(
    disposed: TestTime,
    create: @escaping () -> Source
  ) -> TestableObserver<Source.Element> {
    start(
      created: Defaults.created,
      subscribed: Defaults.subscribed,
      disposed: disposed,
      create: create
    )
  }

  /// Creates an observable at 100, subscribes it at 200 and disposes of the subscription at 1000.
  ///
  /// Runs until no work is scheduled.
  public func start<Source: ObservableConvertibleType>(
    _ create: @escaping () -> Source
  ) -> TestableObserver<Source.Element> {
    start(disposed: Defaults.disposed, create: create)
  }
}
