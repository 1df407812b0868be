import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct TrampolineTests {
  @Test func `a trampoline runs queued work after the current work`() {
    let log = EventRecorder<Int>()
    Trampoline.current.schedule {
      Trampoline.current.schedule {
        Trampoline.current.schedule { log.append(4) }
        log.append(2)
      }
      Trampoline.current.schedule { log.append(3) }
      log.append(1)
    }
    #expect(log.events == [1, 2, 3, 4])
  }

  @Test func `synchronous sources on one trampoline alternate`() {
    let log = EventRecorder<String>()
    Trampoline.run {
      for name in ["a", "b", "c"] {
        _ = Observable.of(1, 2, 3).subscribe(onNext: { log.append("\(name)\($0)") })
      }
    }
    #expect(log.events == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
  }
}
