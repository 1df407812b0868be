import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ObserverTests {
  @Test func `AnyObserver forwards events, also when it is wrapped again`() {
    let log = EventRecorder<String>()
    let observer = AnyObserver<Int> { log.append("\($0)") }
    AnyObserver(observer).onNext(1)
    observer.asObserver().onError(TestError.any)
    observer.on(.completed)
    #expect(log.events == ["next(1)", "error(TestError(name: \"any\"))", "completed"])
  }

  @Test func `mapObserver transforms elements and converts a thrown error to an error event`() {
    let log = EventRecorder<String>()
    let observer = AnyObserver<Int> { log.append("\($0)") }
    let mapped = observer.mapObserver { (text: String) throws -> Int in
      guard let number = Int(text) else { throw TestError.any }
      return number
    }
    mapped.onNext("7")
    mapped.onNext("seven")
    mapped.onCompleted()
    #expect(log.events == ["next(7)", "error(TestError(name: \"any\"))", "completed"])
  }
}
