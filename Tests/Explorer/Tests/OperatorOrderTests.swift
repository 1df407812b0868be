import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("of operators over several sources", .workerPool)
  struct OperatorOrderTests {
    @Test func `skip(until:) ignores an error of the other source after its first element`() {
      let result = Explorer.explore(preemptions: 2) {
        let (source, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let watch = Watch()
        source.skip(until: other).start(watch.observer(Lifetime()))
        return Explorer.Scenario([
          {
            source.onNext(1)
            source.onNext(2)
          },
          {
            other.onNext(0)
            other.onError(RxError.unknown)
          },
        ]) { watch.ends == 0 && !other.hasObservers ? nil : "\(watch.ends) ends" }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }
  }
}
