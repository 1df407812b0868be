import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct TrampolineTests {
  @Test func `work that is queued runs after the work that runs`() {
    let log = Log<Int>()
    Trampoline.current.schedule {
      Trampoline.current.schedule {
        Trampoline.current.schedule { log.append(4) }
        log.append(2)
      }
      Trampoline.current.schedule { log.append(3) }
      log.append(1)
    }
    #expect(log.entries == [1, 2, 3, 4])
  }

  @Test func `sources take turns`() {
    let log = Log<String>()
    Trampoline.run {
      for name in ["a", "b", "c"] {
        _ = Observable.of(1, 2, 3).subscribe(onNext: { log.append("\(name)\($0)") })
      }
    }
    #expect(log.entries == ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"])
  }
}
