extension ObservableType {
  /// Returns an observable that delivers the source's elements to all observers once connected.
  public func publish() -> ConnectableObservable<Element> { multicast { PublishSubject() } }

  /// Returns an observable like `publish()` that replays the last `bufferSize` elements.
  public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
    multicast { ReplaySubject.create(bufferSize: bufferSize) }
  }

  /// Returns an observable like `publish()` that replays all elements.
  public func replayAll() -> ConnectableObservable<Element> {
    multicast { ReplaySubject.createUnbounded() }
  }
}
