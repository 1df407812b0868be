import Reactive

extension Table {
  mutating func addShared() {
    shared("share(replay:scope:)", "1 2 3 |") { $0.share() }
    shared("share(replay:scope:)", "1 2 3 |") { $0.share(replay: 2) }
    shared("share(replay:scope:)", "1 2 3 |") { $0.share(replay: 1, scope: .forever) }
    shared("share(replay:scope:)", "1 2 3 |") { $0.share(replay: .max) }
    shared("publish()", "1 2 3 |") { $0.publish().refCount() }
    shared("ConnectableObservable.refCount()", "1 2 3 |") { $0.publish().refCount() }
    shared("replay(_:)", "1 2 3 |") { $0.replay(1).refCount() }
    shared("replay(_:)", "1 2 3 |") { $0.replay(.max).refCount() }
    shared("replayAll()", "1 2 3 |") { $0.replayAll().refCount() }
    shared("multicast(_:)", "1 2 3 |") { $0.multicast(PublishSubject<Int>()).refCount() }
    shared("multicast(makeSubject:)", "1 2 3 |") {
      $0.multicast(makeSubject: { ReplaySubject<Int>.create(bufferSize: 1) }).refCount()
    }
    one("multicast(_:selector:)", "2 3 4 |") {
      $0.multicast({ PublishSubject<Int>() }, selector: { $0.map { $0 + 1 } })
    }
    one("ConnectableObservable.connect()", "1 2 3 |") { source in
      .create { observer in
        let connectable = source.publish()
        return Disposables.create(connectable.subscribe(observer), connectable.connect())
      }
    }
  }
}
