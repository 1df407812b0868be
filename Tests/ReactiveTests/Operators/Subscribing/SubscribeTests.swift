import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct SubscribeTests {
  @Test func `onDisposed is called once after the end or at disposal`() {
    let log = EventRecorder<String>()
    func subscribe(_ subject: PublishSubject<Int>) -> any Disposable {
      subject.subscribe(
        onNext: { log.append("\($0)") },
        onError: { _ in log.append("x") },
        onCompleted: { log.append("|") },
        onDisposed: { log.append("disposed") }
      )
    }
    let subject = PublishSubject<Int>()
    let completed = subscribe(subject)
    subject.onNext(1)
    subject.onCompleted()
    completed.dispose()
    let failing = PublishSubject<Int>()
    let failed = subscribe(failing)
    failing.onError(TestError.any)
    failed.dispose()
    let other = PublishSubject<Int>()
    let disposed = subscribe(other)
    disposed.dispose()
    disposed.dispose()
    other.onNext(2)
    #expect(log.events == ["1", "|", "disposed", "x", "disposed", "disposed"])
  }

  @Test func `subscribe(with:) and bind(with:) hold their objects weakly`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<Int>()
    #expect(
      isReleased { token in
        _ = subject.subscribe(with: token, onNext: { _, element in log.append(element) })
        _ = subject.bind(with: token, onNext: { _, element in log.append(element) })
        subject.onNext(1)
      }
    )
    subject.onNext(2)
    #expect(log.events == [1, 1])
  }

  @Test func `bind(to:) delivers events to relays and observers`() {
    let source = PublishSubject<Int>()
    let (publish, behavior, optional) = (
      PublishRelay<Int>(), BehaviorRelay(value: 0), BehaviorRelay<Int?>(value: nil)
    )
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    publish.record(in: log, "p").disposed(by: bag)
    subject.record(in: log, "s").disposed(by: bag)
    source.bind(to: publish).disposed(by: bag)
    source.bind(to: behavior).disposed(by: bag)
    source.bind(to: optional).disposed(by: bag)
    source.bind(to: subject).disposed(by: bag)
    source.onNext(1)
    source.onCompleted()
    #expect(log.events == ["p1", "s1", "s|"])
    #expect(behavior.value == 1)
    #expect(optional.value == 1)
    #expect(source.bind { $0.recorded() } == "|")
  }

  @Test func `a subscription continues when its disposable is released`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    _ = subject.record(in: log)
    subject.onNext(1)
    #expect(log.events == ["1"])
    #expect(subject.hasObservers)
  }
}
