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
  public func asDriver(onErrorJustReturn: Element) -> Driver<Element> {
    Driver(
      asObservable().observe(on: DriverSharingStrategy.scheduler).catchAndReturn(onErrorJustReturn))
  }

  /// A driver that goes on with `onErrorDriveWith` where this fails.
  public func asDriver(onErrorDriveWith: Driver<Element>) -> Driver<Element> {
    recovering { _ in onErrorDriveWith }
  }

  /// A driver that goes on with what `onErrorRecover` makes of the error where this fails.
  @preconcurrency public func asDriver(
    onErrorRecover: @escaping @Sendable (_ error: any Error) -> Driver<Element>
  ) -> Driver<Element> { recovering(onErrorRecover) }

  private func recovering(_ recover: @escaping (any Error) -> Driver<Element>) -> Driver<Element> {
    Driver(
      asObservable().observe(on: DriverSharingStrategy.scheduler).catching {
        recover($0).asObservable()
      })
  }
}

extension BehaviorRelay {
  /// A driver of this relay's values.
  @inlinable public func asDriver() -> Driver<Element> {
    Driver(asObservable().observe(on: DriverSharingStrategy.scheduler))
  }
}

extension SharedSequence {
  /// One element, then completion.
  public static func just(_ element: Element) -> Self {
    Self(raw: Observable.just(element).subscribe(on: SharingStrategy.scheduler))
  }

  /// No element: completes.
  public static func empty() -> Self {
    Self(raw: Observable.empty().subscribe(on: SharingStrategy.scheduler))
  }

  /// Neither an element nor an end.
  public static func never() -> Self { Self(raw: .never()) }
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

// MARK: - Driving

extension SharedSequenceConvertibleType where SharingStrategy == DriverSharingStrategy {
  /// Keeps the sequence running, and looks at nothing.
  public func drive() -> any Disposable { drive(onNext: nil) }

  /// Calls closures on the main actor.
  ///
  /// Called off the main queue, it subscribes there in the queue's turn.
  @preconcurrency public func drive(
    onNext: (@MainActor (Element) -> Void)? = nil, onCompleted: (@MainActor () -> Void)? = nil,
    onDisposed: (@MainActor () -> Void)? = nil
  ) -> any Disposable {
    let onNext = onNext.map { assumingMainActor($0) } ?? { _ in }
    let onCompleted = onCompleted.map { assumingMainActor($0) }
    let onDisposed = onDisposed.map { assumingMainActor($0) }
    return startOnMain(
      Sink(
        next: onNext, end: { _ in onCompleted?(()) },
        disposed: onDisposed.map { body in { body(()) } }))
  }

  /// Calls closures with `object`, which is held weakly, on the main actor.
  @preconcurrency public func drive<Object: AnyObject>(
    with object: Object, onNext: (@MainActor (Object, Element) -> Void)? = nil,
    onCompleted: (@MainActor (Object) -> Void)? = nil,
    onDisposed: (@MainActor (Object) -> Void)? = nil
  ) -> any Disposable {
    let onNext = onNext.map { assumingMainActor($0) }
    let onCompleted = onCompleted.map { assumingMainActor($0) }
    let onDisposed = onDisposed.map { assumingMainActor($0) }
    return startOnMain(
      Sink(
        next: { [weak object] element in if let object { onNext?(object, element) } },
        end: { [weak object] _ in if let object { onCompleted?(object) } },
        disposed: { [weak object] in if let object { onDisposed?(object) } }))
  }

  /// Sends everything to `observers`.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element { driveEach(observers.map { AnyObserver($0) }) { $0 } }

  /// Sends everything to `observers` of optional elements.
  public func drive<Observer: ObserverType>(_ observers: Observer...) -> any Disposable
  where Observer.Element == Element? { driveEach(observers.map { AnyObserver($0) }) { $0 } }

  /// Sends every element to `relays`.
  public func drive(_ relays: BehaviorRelay<Element>...) -> any Disposable {
    startOnMain(
      Sink(next: { element in for relay in relays { relay.accept(element) } }, end: { _ in }))
  }

  /// Sends every element to `relays` of optional elements.
  public func drive(_ relays: BehaviorRelay<Element?>...) -> any Disposable {
    startOnMain(
      Sink(next: { element in for relay in relays { relay.accept(element) } }, end: { _ in }))
  }

  /// Gives the observable to `transformation`, which returns what it makes of it.
  public func drive<Result>(_ transformation: (Observable<Element>) -> Result) -> Result {
    transformation(asObservable())
  }

  private func driveEach<Target>(
    _ observers: [AnyObserver<Target>], _ wrap: @escaping (Element) -> Target
  ) -> any Disposable {
    startOnMain(
      Sink(
        next: { element in for observer in observers { observer.onNext(wrap(element)) } },
        end: { error in for observer in observers { observer.on(.end(error)) } }))
  }

  /// Subscribes on the main queue: at once when this is it, or when a test's scheduler stands in.
  private func startOnMain(_ sink: Sink<Element>) -> any Disposable {
    let source = asObservable()
    guard DriverSharingStrategy.scheduler is MainScheduler, !MainScheduler.isCurrent else {
      return source.start(sink)
    }
    sink.add(
      MainScheduler.instance.schedule(()) {
        if !sink.isDisposed { _ = source.start(sink) }
        return Disposables.create()
      })
    return sink
  }
}
