/// The elements of a source that have the same key.
public struct GroupedObservable<Key, Element>: ObservableType {
  /// What the elements have in common.
  public let key: Key
  private let source: Observable<Element>

  /// The elements of `source`, which have `key` in common.
  public init(key: Key, source: Observable<Element>) {
    self.key = key
    self.source = source
  }

  /// Subscribes `observer`, which receives the elements from now on.
  public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
  where Observer.Element == Element { source.subscribe(observer) }

  /// The group without its key.
  public func asObservable() -> Observable<Element> { source }
}

// Immutable, like the observable it wraps.
extension GroupedObservable: @unchecked Sendable where Key: Sendable {}

extension ObservableType {
  /// Emits a group for each key that `keySelector` makes of the elements, and each element to its group.
  ///
  /// A group is emitted before its first element; it emits what comes while it is observed. The end of
  /// the source, or an error thrown by `keySelector`, is first the end of all groups. The source is
  /// disposed of when neither the result nor a group is observed.
  @preconcurrency public func groupBy<Key: Hashable>(
    keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<GroupedObservable<Key, Element>> {
    Observable<GroupedObservable<Key, Element>> { [run] down in
      let upstream = ObservedLifetime()
      upstream.leave(with: down.lifetime)
      let groups = Cell<[Key: PublishSubject<Element>]>([:])
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
