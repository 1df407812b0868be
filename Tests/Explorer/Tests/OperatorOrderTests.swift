import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("of operators over several sources", .workerPool)
  struct OperatorOrderTests {
    @Test func `skip(until:) ignores an error of the other source after its first element`() {
      let result = Explorer.explore(preemptions: 2) {
        let (source, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let watch = ObserverProbe()
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

    @Test func `an async subject that two threads complete delivers its element to every observer`()
    {
      let result = Explorer.explore(preemptions: 2) {
        let subject = AsyncSubject<Int>()
        let (early, late) = (ObserverProbe(), ObserverProbe())
        subject.start(early.observer(Lifetime()))
        subject.onNext(1)
        return Explorer.Scenario([
          { subject.end(nil) }, { subject.end(nil) },
          { subject.start(late.observer(Lifetime())) },
        ]) {
          for watch in [early, late] where watch.received != [1] || watch.ends != 1 {
            return "received \(watch.received) and \(watch.ends) ends"
          }
          return nil
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }
  }
}
