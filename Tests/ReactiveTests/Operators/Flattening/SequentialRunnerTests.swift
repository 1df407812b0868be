import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct SequentialRunnerTests {
  @Test func `concat of 50,000 empty observables does not overflow the stack`() {
    let log = EventRecorder<Int>()
    let empties = repeatElement(Observable<Int>.empty(), count: 50_000)
    _ = Observable.concat(Array(empties) + [.just(1)]).subscribe(onNext: { log.append($0) })
    #expect(log.events == [1])
  }

  @Test func `concat disposes of each observable before it subscribes to the next`() {
    let log = EventRecorder<String>()
    func source(_ name: String) -> Observable<Int> {
      .create { observer in
        log.append("+\(name)")
        observer.onCompleted()
        return Disposables.create { log.append("-\(name)") }
      }
    }
    _ = Observable.concat(source("a"), source("b")).subscribe()
    #expect(log.events == ["+a", "-a", "+b", "-b"])
  }
}
