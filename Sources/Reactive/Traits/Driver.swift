/// The strategy of `Driver`: the main queue, and a replay of the last element while connected.
public struct DriverSharingStrategy: SharingStrategyProtocol {
  /// The main queue's scheduler, unless a test replaced it.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// Shares one subscription while there are observers; a new one first receives the last element.
  @inlinable public static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
  { source.share(replay: 1, scope: .whileConnected) }
}

/// State for a user interface.
///
/// A driver cannot fail, delivers on the main queue, and replays the last element.
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

extension ObservableConvertibleType {
  /// Returns a driver that emits `onErrorJustReturn` and completes where this sequence fails.
  @inlinable public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// Returns a driver that continues with `onErrorDriveWith` where this sequence fails.
  @inlinable public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    asSharedSequence(onErrorDriveWith: onErrorDriveWith)
  }

  /// Returns a driver that continues with the result of `onErrorRecover` where this sequence fails.
  @preconcurrency @inlinable public func asDriver(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Driver<Element>
  ) -> Driver<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}

extension RelayType {
  /// Returns a driver of this relay's elements.
  @inlinable public func asDriver() -> Driver<Element> { reportingErrors() }
}

extension SharedSequenceConvertibleType {
  /// Returns a driver of this sequence's elements.
  @inlinable public func asDriver() -> Driver<Element> { Driver(sharing: source) }
}

extension SharedSequence where SharingStrategy == DriverSharingStrategy {
  /// Creates a driver of an observable that cannot fail.
  @inlinable package init(sharing source: Observable<Element>) {
    self.init(source.observe(on: SharingStrategy.scheduler))
  }

  /// Creates a driver of an observable that cannot fail and delivers on the main queue.
  ///
  /// Each observer has its own subscription.
  @inlinable package init(unshared source: Observable<Element>) { self.init(raw: source) }

  /// Returns this driver.
  @inlinable public func asDriver() -> Driver<Element> { self }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Calls closures on the main actor; without closures it only keeps the sequence running.
  ///
  /// A call off the main queue subscribes on it, as queued work.
  @preconcurrency public func drive(
    onNext: (@MainActor (Element) -> Void)? = nil, onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable { startOnMain(onNext, onCompleted, onDisposed) }

  /// Calls closures with `object`, which is held weakly, on the main actor.
  @preconcurrency public func drive<Object: AnyObject>(
    with object: Object, onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable { startOnMain(with: object, onNext, onCompleted, onDisposed) }

  /// Sends all events to `observers`.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends all events to `observers` of optional elements.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element? { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends every element to `relays`.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element { startOnMain(Sink(accept: relays) { $0 }) }

  /// Sends every element to `relays` of optional elements.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element? { startOnMain(Sink(accept: relays) { $0 }) }

  /// Calls `transformation` with this sequence as an observable, and returns the result.
  public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    transformation(source)
  }

  /// Calls `with` with this sequence as an observable, and its result with `curriedArgument`.
  public func drive<Argument, Result>(
    _ with: (Observable<Element>) -> (Argument) -> Result, curriedArgument: Argument
  ) -> Result { with(source)(curriedArgument) }
}

// MARK: - The main actor, for drivers and signals

extension SharedSequenceConvertibleType {
  func startOnMain(
    _ onNext: (@MainActor (Element) -> Void)?, _ onCompleted: (@MainActor () -> Void)?,
    _ onDisposed: (@MainActor () -> Void)?
  ) -> any Disposable {
    let onNext = onNext.map { assumingMainActor($0) } ?? { _ in }
    let onCompleted = onCompleted.map { assumingMainActor($0) }
    let onDisposed = onDisposed.map { assumingMainActor($0) } ?? { _ in }
    return startOnMain(
      Sink(
        next: onNext, end: { _ in onCompleted?(()) }, disposed: { _ = onMain { onDisposed(()) } }))
  }

  func startOnMain<Object: AnyObject>(
    with object: Object, _ onNext: (@MainActor (Object, Element) -> Void)?,
    _ onCompleted: (@MainActor (Object) -> Void)?, _ onDisposed: (@MainActor (Object) -> Void)?
  ) -> any Disposable {
    let held = WeakObject(object: object)
    return startOnMain(
      { if let object = held.object { onNext?(object, $0) } },
      { if let object = held.object { onCompleted?(object) } },
      { if let object = held.object { onDisposed?(object) } })
  }

  /// Subscribes and delivers to `sink` on the main queue.
  ///
  /// The subscription happens at once on the main queue, or when a test replaced the scheduler.
  /// Each event goes through the scheduler, because another observer may have connected the
  /// sequence on another thread, which then delivers the first elements.
  func startOnMain(_ sink: Sink<Element>) -> any Disposable {
    let lifetime = sink.lifetime
    guard let main = SharingStrategy.scheduler as? MainScheduler else {
      return source.start(sink)
    }
    let source = self.source
    // Made once, and not for each element.
    let (next, end) = (sink.next, sink.end)
    let observer = Observer<Element>(
      lifetime, next: { main.run($0, next) }, end: { main.run($0, end) })
    if MainScheduler.isCurrent {
      source.start(observer)
    } else {
      let hop = main.schedule(()) {
        if !lifetime.isDisposed { source.start(observer) }
        return Disposables.create()
      }
      lifetime.add(hop)
    }
    return lifetime
  }

  /// Runs `body` on the main queue.
  ///
  /// It runs at once if called there, or when a test replaced the scheduler.
  func onMain(_ body: @escaping () -> Void) -> (any Disposable)? {
    // In this order, because `scheduler` creates an object.
    guard !MainScheduler.isCurrent, SharingStrategy.scheduler is MainScheduler else {
      body()
      return nil
    }
    return MainScheduler.instance.schedule(()) {
      body()
      return Disposables.create()
    }
  }
}

/// A weak reference to an object of an observer, which is used on the main actor only.
///
/// Not a `weak let`, which Swift 6.2 has from 6.2.3 on only.
private struct WeakObject<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var object: Object?
}
