import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ObservedLifetimeTests {
  @Test func `groupBy disposes of its source with the last observer of result and groups`() {
    let source = PublishSubject<Int>()
    let groups = DisposeBag()
    let subscription = source.groupBy { $0 }.subscribe(onNext: {
      $0.subscribe().disposed(by: groups)
    })
    source.onNext(1)
    subscription.dispose()
    #expect(source.hasObservers)
    groups.dispose()
    #expect(!source.hasObservers)
  }
}
