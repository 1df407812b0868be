import Reactive
import Synchronization
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct SerializedSubjectTests {
  private struct Marked: Sendable { var number: Int }

  @Test func `a serialized subject delivers every element of four threads, one at a time`() {
    let count = Locked(0)
    let reports = reported {
      let subject = PublishSubject<Marked>()
      let serialized = subject.serialized()
      let (inside, most) = (Locked(0), Locked(0))
      let bag = DisposeBag()
      serialized.subscribe(onNext: { _ in
        let now = inside.withLock {
          $0 += 1
          return $0
        }
        most.withLock { $0 = max($0, now) }
        count.withLock { $0 += 1 }
        inside.withLock { $0 -= 1 }
      })
      .disposed(by: bag)
      onThreads(4) { _ in for number in 0..<2_000 { serialized.onNext(Marked(number: number)) } }
      #expect(most.withLock { $0 } == 1)
    }
    #expect(count.withLock { $0 } == 8_000)
    #expect(reports == [])
  }

  @Test func `a serialized subject delivers queued events in order and none after the end`() {
    let (serialized, log) = (BehaviorSubject(value: 0).serialized(), EventRecorder<String>())
    let subscription = serialized.do(onNext: { element in
      guard element == 1 else { return }
      onAnotherThread {
        serialized.onNext(2)
        serialized.asObserver().onCompleted()
        serialized.onNext(3)
      }
    })
    .record(in: log)
    serialized.onNext(1)
    #expect(log.events == ["0", "1", "2", "|"])
    #expect(serialized.recorded() == "|")
    subscription.dispose()
  }
}
