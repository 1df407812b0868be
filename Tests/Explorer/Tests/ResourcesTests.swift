import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("Resources", .workerPool)
  struct ResourcesTests {
    @Test func `Resources counts live objects`() {
      let subject = PublishSubject<Int>()
      // Allocates the shared objects.
      subject.map { $0 }.subscribe().dispose()
      let before = Resources.total
      do {
        let bag = DisposeBag()
        let doubled = subject.map { $0 * 2 }
        let alone = Resources.total
        #expect(alone == before + 1)
        doubled.subscribe().disposed(by: bag)
        doubled.take(1).subscribe().disposed(by: bag)
        #expect(Resources.total > alone)
        subject.onNext(1)
      }
      #expect(Resources.total == before)
      Resources.incrementTotal()
      #expect(Resources.total == before + 1)
      #expect(Resources.decrementTotal() == before + 1)
    }
  }
}
