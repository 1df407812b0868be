import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct SequentialRunnerTests {
  @Test func `observables that end at once follow each other without a deep stack`() {
    let log = Log<Int>()
    let empties = repeatElement(Observable<Int>.empty(), count: 50_000)
    _ = Observable.concat(Array(empties) + [.just(1)]).subscribe(onNext: { log.append($0) })
    #expect(log.entries == [1])
  }

  @Test func `each is let go of before the next one starts`() {
    let log = Log<String>()
    func source(_ name: String) -> Observable<Int> {
      .create { observer in
        log.append("+\(name)")
        observer.onCompleted()
        return Disposables.create { log.append("-\(name)") }
      }
    }
    _ = Observable.concat(source("a"), source("b")).subscribe()
    #expect(log.entries == ["+a", "-a", "+b", "-b"])
  }
}
