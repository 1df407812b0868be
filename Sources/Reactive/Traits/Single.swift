/// An observable that promises how it ends; `Trait` says what.
public struct PrimitiveSequence<Trait, Element> {
  let source: Observable<Element>

  init(raw source: Observable<Element>) { self.source = source }
}

// Immutable, like the observable it wraps.
extension PrimitiveSequence: @unchecked Sendable {}

extension PrimitiveSequence: ObservableConvertibleType {
  /// This sequence as an observable.
  public func asObservable() -> Observable<Element> { source }
}

/// The promise of `Single`: one element, or an error.
public enum SingleTrait {}

/// One element, or an error.
public typealias Single<Element> = PrimitiveSequence<SingleTrait, Element>

/// How a single ends.
public typealias SingleEvent<Element> = Result<Element, any Error>

extension PrimitiveSequence where Trait == SingleTrait {
  /// Receives how a single ends.
  public typealias SingleObserver = (SingleEvent<Element>) -> Void

  /// A single that runs `subscribe` for each observer.
  ///
  /// The observer may be called from any thread; its first call is the end. What `subscribe` returns
  /// is disposed of when the subscription ends.
  @preconcurrency public static func create(
    subscribe: @escaping @Sendable (@escaping SingleObserver) -> any Disposable
  ) -> Single<Element> {
    Single(
      raw: .create { observer in
        subscribe { event in
          switch event {
          case .success(let element):
            observer.onNext(element)
            observer.onCompleted()
          case .failure(let error): observer.onError(error)
          }
        }
      })
  }

  /// `element` at once.
  public static func just(_ element: Element) -> Single<Element> { Single(raw: .just(element)) }

  /// `error` at once.
  public static func error(_ error: any Error) -> Single<Element> { Single(raw: .error(error)) }

  /// Neither an element nor an error.
  public static func never() -> Single<Element> { Single(raw: .never()) }

  /// A single made anew for each observer; an error thrown by `singleFactory` is the end.
  @preconcurrency public static func deferred(
    _ singleFactory: @escaping @Sendable () throws -> Single<Element>
  ) -> Single<Element> { Single(raw: .deferred { try singleFactory().source }) }

  /// What `transform` makes of the element; an error it throws is the end.
  @preconcurrency public func map<Result>(
    _ transform: @escaping @Sendable (Element) throws -> Result
  ) -> Single<Result> { Single<Result>(raw: source.map(transform)) }

  /// The single that `selector` makes of the element; an error it throws is the end.
  @preconcurrency public func flatMap<Result>(
    _ selector: @escaping @Sendable (Element) throws -> Single<Result>
  ) -> Single<Result> { Single<Result>(raw: source.flatMap(selector)) }

  /// Subscribes `observer`, called once with how it ends, on the thread where it does.
  @preconcurrency public func subscribe(
    _ observer: @escaping @Sendable (SingleEvent<Element>) -> Void
  ) -> any Disposable {
    let result = Cell<SingleEvent<Element>?>(nil)
    return source.start(
      Sink(
        next: { result.value = .success($0) },
        end: { observer($0.map { .failure($0) } ?? result.value ?? .failure(RxError.noElements)) }))
  }

  /// Subscribes closures, called on the thread where the single ends.
  ///
  /// An error without an `onFailure` goes to `Hooks.defaultErrorHandler`. `onDisposed` is called when
  /// the subscription has ended or was disposed of.
  @preconcurrency public func subscribe(
    onSuccess: (@Sendable (Element) -> Void)? = nil,
    onFailure: (@Sendable (any Error) -> Void)? = nil, onDisposed: (@Sendable () -> Void)? = nil
  ) -> any Disposable {
    let result = Cell<Element?>(nil)
    return source.start(
      Sink(
        next: { result.value = $0 },
        end: { error in
          if let error {
            if let onFailure { onFailure(error) } else { Hooks.defaultErrorHandler([], error) }
          } else if let element = result.value {
            onSuccess?(element)
          }
        }, disposed: onDisposed))
  }
}

extension PrimitiveSequence {
  /// Delivers on `scheduler`.
  public func observe(on scheduler: any ImmediateSchedulerType) -> Self {
    Self(raw: source.observe(on: scheduler))
  }

  /// Subscribes, and disposes of the source, on `scheduler`.
  public func subscribe(on scheduler: any ImmediateSchedulerType) -> Self {
    Self(raw: source.subscribe(on: scheduler))
  }

  /// Delivers `dueTime` later, on `scheduler`; an error passes at once.
  public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> Self {
    Self(raw: source.delay(dueTime, scheduler: scheduler))
  }

  /// Continues with the sequence that `handler` makes of an error.
  @preconcurrency public func `catch`(_ handler: @escaping @Sendable (any Error) throws -> Self)
    -> Self
  { Self(raw: source.catch { try handler($0).source }) }

  /// Subscribes again after each error, without end.
  public func retry() -> Self { Self(raw: source.retry()) }

  /// Subscribes at most `maxAttemptCount` times in all; the last error passes.
  public func retry(_ maxAttemptCount: Int) -> Self { Self(raw: source.retry(maxAttemptCount)) }
}

extension ObservableType {
  /// The only element of the source.
  ///
  /// Fails with `RxError.noElements` when there is none and with `RxError.moreThanOneElement` when
  /// there is a second.
  public func asSingle() -> Single<Element> {
    Single(
      raw: Observable { [run] down in
        let only = Cell<Element?>(nil)
        run(
          Observer(
            down.lifetime,
            next: { element in
              if down.lifetime.isDisposed { return }
              if only.value == nil {
                only.value = element
              } else {
                down.end(RxError.moreThanOneElement)
              }
            },
            end: { error in
              if down.lifetime.isDisposed { return }
              if let error { return down.end(error) }
              guard let only = only.value else { return down.end(RxError.noElements) }
              down.last(only)
            }))
      })
  }
}
