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

  @MainActor
  @Test func `two threads that send to an async subject at once are reported`() {
    final class Marked: Sendable {
      let isReleased: @Sendable () -> Void
      init(_ isReleased: @escaping @Sendable () -> Void) { self.isReleased = isReleased }
      deinit { isReleased() }
    }
    let reports = reported {
      let subject = AsyncSubject<Marked>()
      // The replaced element is released while the subject is being sent to.
      subject.onNext(Marked { onAnotherThread { subject.onNext(Marked {}) } })
      subject.onNext(Marked {})
      subject.dispose()
    }
    #expect(reports.count == 1)
  }
}
