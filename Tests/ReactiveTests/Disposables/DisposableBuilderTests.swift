import Reactive
import TestSupport
import Testing

@Test(.workerPool) func `a bag is filled with the lines of a closure`() {
  let log = Log<Int>()
  do {
    let bag = DisposeBag {
      Disposables.create { log.append(1) }
      PublishSubject<Int>().subscribe(onDisposed: { log.append(2) })
    }
    bag.insert {
      Disposables.create { log.append(3) }
      Disposables.create { log.append(4) }
    }
    #expect(log.entries.isEmpty)
  }
  #expect(log.entries == [1, 2, 3, 4])
}

@Test(.workerPool) func `a bag is filled with an array`() {
  let flags = [BooleanDisposable(), BooleanDisposable()]
  do { _ = DisposeBag(disposing: flags) }
  #expect(flags.allSatisfy { $0.isDisposed })
}
