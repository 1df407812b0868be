import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct AsyncSubjectTests {
  @Test func `observers hear the last element when it completes, late ones too`() {
    let subject = AsyncSubject<Int>()
    let log = Log<String>()
    let bag = DisposeBag()
    subject.write(to: log, "a").disposed(by: bag)
    subject.onNext(1)
    subject.on(.next(2))
    subject.write(to: log, "b").disposed(by: bag)
    #expect(log.entries.isEmpty && subject.hasObservers)
    subject.onCompleted()
    subject.onNext(3)
    subject.onCompleted()
    #expect(log.entries == ["a2", "b2", "a|", "b|"])
    #expect(subject.written() == "2 |")
    #expect(!subject.hasObservers)
  }

  @Test func `who is told the element finds the subject at its end`() {
    let subject = AsyncSubject<Int>()
    let log = Log<String>()
    let bag = DisposeBag()
    subject.subscribe(onNext: { element in
      log.append("\(element)")
      #expect(!subject.hasObservers)
      subject.onNext(element + 1)
      subject.onCompleted()
      log.append("late \(subject.written())")
    }).disposed(by: bag)
    subject.write(to: log, "b").disposed(by: bag)
    subject.onNext(1)
    subject.onCompleted()
    #expect(log.entries == ["1", "late 1 |", "b1", "b|"])
  }

  @Test func `without an element it only ends`() {
    let subject = AsyncSubject<Int>()
    subject.asObserver().onCompleted()
    #expect(subject.written() == "|")
  }

  @Test func `an error drops the element`() {
    let subject = AsyncSubject<Token>()
    #expect(
      isReleased { token in
        subject.onNext(token)
        subject.onError(TestError.any)
        subject.onNext(token)
      }
    )
    #expect(subject.map { _ in 1 }.written() == "x")
  }

  @Test func `disposed, it tells nothing and lets go of the element`() {
    let subject = AsyncSubject<Token>()
    let log = Log<String>()
    _ = subject.map { _ in 1 }.write(to: log)
    #expect(
      isReleased { token in
        subject.onNext(token)
        subject.dispose()
        subject.onNext(token)
        subject.onCompleted()
      }
    )
    #expect(log.entries.isEmpty && subject.isDisposed)
    #expect(subject.map { _ in 1 }.written() == "x")
  }
}
