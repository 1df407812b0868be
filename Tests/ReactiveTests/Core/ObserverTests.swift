import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ObserverTests {
  @Test func `any observer forwards, and wrapping it again changes nothing`() {
    let log = Log<String>()
    let observer = AnyObserver<Int> { log.append("\($0)") }
    AnyObserver(observer).onNext(1)
    observer.asObserver().onError(TestError.any)
    observer.on(.completed)
    #expect(log.entries == ["next(1)", "error(TestError(name: \"any\"))", "completed"])
  }

  @Test func `mapObserver transforms, and a thrown error arrives as one`() {
    let log = Log<String>()
    let observer = AnyObserver<Int> { log.append("\($0)") }
    let mapped = observer.mapObserver { (text: String) throws -> Int in
      guard let number = Int(text) else { throw TestError.any }
      return number
    }
    mapped.onNext("7")
    mapped.onNext("seven")
    mapped.onCompleted()
    #expect(log.entries == ["next(7)", "error(TestError(name: \"any\"))", "completed"])
  }
}
