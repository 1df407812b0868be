import Reactive

/// A scheduler of tests, whose time is counted in ticks and moves only when `start` is called.
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
  /// When `start` does what, unless it is told otherwise.
  public enum Defaults {
    /// The observable is made.
    public static let created: TestTime = 100
    /// It is subscribed.
    public static let subscribed: TestTime = 200
    /// The subscription is disposed of.
    public static let disposed: TestTime = 1000
  }

  // Immutable.
  private let simulateProcessingDelay: Bool

  /// A scheduler whose clock shows `initialClock`.
  ///
  /// - Parameters:
  ///   - resolution: how many seconds one tick stands for; 1 by default.
  ///   - simulateProcessingDelay: whether what is scheduled for now, or earlier, runs one tick later;
  ///     true by default.
  public init(
    initialClock: TestTime,
    resolution: Double = 1,
    simulateProcessingDelay: Bool = true
  ) {
    self.simulateProcessingDelay = simulateProcessingDelay
    let converter = TestSchedulerVirtualTimeConverter(resolution: resolution)
    super.init(initialClock: initialClock, converter: converter)
  }

  /// The clock when `time` is not later, or one tick later when processing delay is simulated.
  public override func adjustScheduledTime(_ time: TestTime) -> TestTime {
    max(time, simulateProcessingDelay ? clock + 1 : clock)
  }

  /// An observable that emits `events` at their times, whoever observes.
  public func createHotObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .hot(events, self)
  }

  /// An observable that emits `events` to each observer, their times counted from the subscription.
  public func createColdObservable<Element>(
    _ events: [Recorded<Event<Element>>]
  ) -> TestableObservable<Element> {
    .cold(events, self)
  }

  /// An observer that records what it receives and when; `type` says of what.
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

  /// Makes an observable, subscribes it and disposes of the subscription at the given times, and runs
  /// until nothing is left to do.
  ///
  /// - Returns: an observer with everything that the observable emitted.
  public func start<Source: ObservableConvertibleType>(
    created: TestTime,
    subscribed: TestTime,
    disposed: TestTime,
    create: @escaping () -> Source
  ) -> TestableObserver<Source.Element> {
    let observer = createObserver(Source.Element.self)
    let source = Cell<Source?>(nil)
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

  /// Makes an observable at 100, subscribes it at 200, disposes of the subscription at `disposed`,
  /// and runs until nothing is left to do.
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

  /// Makes an observable at 100, subscribes it at 200, disposes of the subscription at 1000, and runs
  /// until nothing is left to do.
  public func start<Source: ObservableConvertibleType>(
    _ create: @escaping () -> Source
  ) -> TestableObserver<Source.Element> {
    start(disposed: Defaults.disposed, create: create)
  }
}
