/// The strategy of `Driver`: the main queue, and the last element replayed while connected.
public struct DriverSharingStrategy: SharingStrategyProtocol {
  /// The main queue, unless a test replaced it.
  public static var scheduler: any SchedulerType { SharingScheduler.make() }

  /// One subscription while somebody observes; new observers receive the last element first.
  @inlinable public static func share<Element>(_ source: Observable<Element>) -> Observable<Element>
  { source.share(replay: 1, scope: .whileConnected) }
}

/// State for a user interface: cannot fail, delivers on the main queue, and a new observer receives
/// the last element first.
public typealias Driver<Element> = SharedSequence<DriverSharingStrategy, Element>

extension ObservableConvertibleType {
  /// A driver that emits `onErrorJustReturn` and completes where this fails.
  @inlinable public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    asSharedSequence(onErrorJustReturn: onErrorJustReturn)
  }

  /// A driver that goes on with `onErrorDriveWith` where this fails.
  @inlinable public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    asSharedSequence(onErrorDriveWith: onErrorDriveWith)
  }

  /// A driver that goes on with what `onErrorRecover` makes of the error where this fails.
  @preconcurrency @inlinable public func asDriver(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Driver<Element>
  ) -> Driver<Element> { asSharedSequence(onErrorRecover: onErrorRecover) }
}

extension RelayType {
  /// A driver of this relay's elements.
  @inlinable public func asDriver() -> Driver<Element> { reportingErrors() }
}

extension SharedSequenceConvertibleType {
  /// A driver of this sequence's elements.
  @inlinable public func asDriver() -> Driver<Element> { Driver(sharing: source) }
}

extension SharedSequence where SharingStrategy == DriverSharingStrategy {
  /// A driver of an observable that cannot fail.
  @inlinable package init(sharing source: Observable<Element>) {
    self.init(source.observe(on: SharingStrategy.scheduler))
  }

  /// A driver of an observable that cannot fail and delivers on the main queue, which each observer
  /// subscribes by itself.
  @inlinable package init(unshared source: Observable<Element>) { self.init(raw: source) }

  /// Itself.
  @inlinable public func asDriver() -> Driver<Element> { self }
}

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Calls closures on the main actor; without any it only keeps the sequence running.
  ///
  /// Called off the main queue, it subscribes there in the queue's turn.
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

  /// Sends everything to `observers`.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends everything to `observers` of optional elements.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element? { startOnMain(Sink(to: observers) { $0 }) }

  /// Sends every element to `relays`.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element { startOnMain(Sink(accept: relays) { $0 }) }

  /// Sends every element to `relays` of optional elements.
  public func drive<Relay: RelayType>(_ relays: Relay...) -> any Disposable
  where Relay.Element == Element? { startOnMain(Sink(accept: relays) { $0 }) }

  /// Gives the observable to `transformation`, which returns what it makes of it.
  public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    transformation(source)
  }

  /// Gives the observable to `with`, and what that makes of it `curriedArgument`.
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
    // Touched on the main actor only.
    nonisolated(unsafe) weak let object = object
    return startOnMain(
      { if let object { onNext?(object, $0) } }, { if let object { onCompleted?(object) } },
      { if let object { onDisposed?(object) } })
  }

  /// Subscribes on the main queue, and tells `sink` there: at once when this is it, or when a test's scheduler stands in.
  ///
  /// Another observer may have connected the sequence elsewhere, where what begins it is delivered.
  func startOnMain(_ sink: Sink<Element>) -> any Disposable {
    let lifetime = sink.lifetime
    guard let main = SharingStrategy.scheduler as? MainScheduler else {
      return source.start(sink)
    }
    let source = self.source
    // Made once, not for each element.
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

  /// Runs `body` on the main queue: in its turn, or now, when this is it or a test's scheduler stands
  /// in.
  func onMain(_ body: @escaping () -> Void) -> (any Disposable)? {
    // In this order: asking for the scheduler makes one.
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
