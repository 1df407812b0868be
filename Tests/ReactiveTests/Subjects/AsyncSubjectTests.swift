import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct AsyncSubjectTests {
  @Test func `an async subject delivers its last element at completion and to later observers`() {
    let subject = AsyncSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    subject.record(in: log, "a").disposed(by: bag)
    subject.onNext(1)
    subject.on(.next(2))
    subject.record(in: log, "b").disposed(by: bag)
    #expect(log.events.isEmpty && subject.hasObservers)
    subject.onCompleted()
    subject.onNext(3)
    subject.onCompleted()
    #expect(log.events == ["a2", "b2", "a|", "b|"])
    #expect(subject.recorded() == "2 |")
    #expect(!subject.hasObservers)
  }

  @Test func `an async subject has ended when it delivers its element`() {
    let subject = AsyncSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    subject.subscribe(onNext: { element in
      log.append("\(element)")
      #expect(!subject.hasObservers)
      subject.onNext(element + 1)
      subject.onCompleted()
      log.append("late \(subject.recorded())")
    }).disposed(by: bag)
    subject.record(in: log, "b").disposed(by: bag)
    subject.onNext(1)
    subject.onCompleted()
    #expect(log.events == ["1", "late 1 |", "b1", "b|"])
  }

  @Test func `an async subject without an element only completes`() {
    let subject = AsyncSubject<Int>()
    subject.asObserver().onCompleted()
    #expect(subject.recorded() == "|")
  }

  @Test func `an async subject releases its element on an error`() {
    let subject = AsyncSubject<Token>()
    #expect(
      isReleased { token in
        subject.onNext(token)
        subject.onError(TestError.any)
        subject.onNext(token)
      }
    )
    #expect(subject.map { _ in 1 }.recorded() == "x")
  }

  @Test func `a disposed async subject emits nothing and releases its element`() {
    let subject = AsyncSubject<Token>()
    let log = EventRecorder<String>()
    _ = subject.map { _ in 1 }.record(in: log)
    #expect(
      isReleased { token in
        subject.onNext(token)
        subject.dispose()
        subject.onNext(token)
        subject.onCompleted()
      }
    )
    #expect(log.events.isEmpty && subject.isDisposed)
    #expect(subject.map { _ in 1 }.recorded() == "x")
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
