import Reactive
import TestSupport
import Testing

@Test(.workerPool) func `a dispose bag inserts the disposables of a builder closure`() {
  let log = EventRecorder<Int>()
  do {
    let bag = DisposeBag {
      Disposables.create { log.append(1) }
      PublishSubject<Int>().subscribe(onDisposed: { log.append(2) })
    }
    bag.insert {
      Disposables.create { log.append(3) }
      Disposables.create { log.append(4) }
    }
    #expect(log.events.isEmpty)
  }
  #expect(log.events == [1, 2, 3, 4])
}

@Test(.workerPool) func `a dispose bag inserts the disposables of an array`() {
  let flags = [BooleanDisposable(), BooleanDisposable()]
  do { _ = DisposeBag(disposing: flags) }
  #expect(flags.allSatisfy { $0.isDisposed })
}
