/// The elements of a source that have one key in common.
public struct GroupedObservable<Key, Element>: ObservableType {
  /// The common key of the elements.
  public let key: Key
  private let source: Observable<Element>

  /// Creates a group of the elements of `source`, whose common key is `key`.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  /// Subscribes `observer`, which receives the later elements of the group.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { source.subscribe(observer) }

  /// Returns an observable of the later elements of the group.
  public func asObservable() -> Observable<Element> { source }
}

// Immutable, like the observable it wraps.
extension GroupedObservable: @unchecked Sendable where Key: Sendable {}

extension ObservableType {
  /// Emits a group for each new key of `keySelector`, and sends each element to its group.
  ///
  /// A group is emitted before its first element, and delivers elements to its current observers
  /// only. The end of the source, or an error that `keySelector` throws, ends all groups and then
  /// the result. The source is disposed of when neither the result nor a group has an observer.
  @preconcurrency public func groupBy<Key: Hashable>(
    keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    Observable<GroupedObservable<Key, Element>> { [run] down in
      let upstream = ObservedLifetime()
      upstream.removeObserver(atEndOf: down.lifetime)
      let groups = Ref<[Key: PublishSubject<Element>]>([:])
      func deliver(_ element: Element) throws {
        let key = try keySelector(element)
        if let group = groups.value[key] { return group.onNext(element) }
        let group = PublishSubject<Element>()
        groups.value[key] = group
        if !down.lifetime.isDisposed {
          down.next(GroupedObservable(key: key, source: group.keeping(upstream)))
        }
        group.onNext(element)
      }
      let observer = upstream.observer(next: { (_: Element) in }) { error in
        for group in groups.value.values { group.on(.end(error)) }
        down.end(error)
      }
      run(observer.with { element in observer.attempt { try deliver(element) } })
    }
  }
}
