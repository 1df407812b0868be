import Reactive
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct HooksTests {
  @Test func `an unhandled error is reported once to defaultErrorHandler`() {
    let errors = reported {
      _ = Observable<Int>.error(UnhandledError(name: "subscribe")).subscribe(onNext: { _ in })
      _ = Observable<Int>.error(UnhandledError(name: "handled")).subscribe(onError: { _ in })
      _ = Observable<Int>.error(UnhandledError(name: "bind")).bind(onNext: { _ in })
      _ = Observable<Int>.error(UnhandledError(name: "relay")).bind(to: BehaviorRelay(value: 0))
      _ = Single<Int>.error(UnhandledError(name: "single")).subscribe(onSuccess: { _ in })
      _ = Maybe<Int>.error(UnhandledError(name: "maybe")).subscribe(onSuccess: { _ in })
      _ = Completable.error(UnhandledError(name: "completable")).subscribe(onCompleted: {})
      _ = Completable.error(UnhandledError(name: "handled")).subscribe(onError: { _ in })
    }
    #expect(errors == ["subscribe", "bind", "relay", "single", "maybe", "completable"])
  }

  @Test func `an unhandled error of subscribe(with:) is reported to defaultErrorHandler`() {
    final class Owner: Sendable {}
    let owner = Owner()
    let errors = reported {
      _ = Observable<Int>.error(UnhandledError(name: "subscribe")).subscribe(with: owner)
      _ = Single<Int>.error(UnhandledError(name: "single")).subscribe(with: owner)
      _ = Maybe<Int>.error(UnhandledError(name: "maybe")).subscribe(with: owner)
      _ = Completable.error(UnhandledError(name: "completable")).subscribe(with: owner)
      _ = Observable<Int>.error(UnhandledError(name: "handled"))
        .subscribe(with: owner, onError: { _, _ in })
    }
    #expect(errors == ["subscribe", "single", "maybe", "completable"])
  }

  @Test func `recordCallStackOnError passes the subscription's call stack to the handler`() {
    let (handler, capture) = (
      Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack
    )
    defer {
      Hooks.defaultErrorHandler = handler
      Hooks.customCaptureSubscriptionCallstack = capture
      Hooks.recordCallStackOnError = false
    }
    let stacks = EventRecorder<String>()
    Hooks.defaultErrorHandler = { stack, error in
      if error is Traced { stacks.append(stack.joined()) }
    }
    Hooks.customCaptureSubscriptionCallstack = { ["here"] }
    _ = Observable<Int>.error(Traced()).subscribe(onNext: { _ in })
    Hooks.recordCallStackOnError = true
    _ = Observable<Int>.error(Traced()).subscribe(onNext: { _ in })
    _ = Observable<Int>.error(Traced()).subscribe(onNext: { _ in }, onCompleted: {})
    _ = Single<Int>.error(Traced()).subscribe(onSuccess: { _ in })
    _ = Maybe<Int>.error(Traced()).subscribe(onSuccess: { _ in })
    #expect(stacks.events == ["", "here", "here", "here", "here"])
  }

  private struct Traced: Error {}

  @Test func `reading a hook many times does not wrap it`() {
    let (handler, capture) = (
      Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack
    )
    defer {
      Hooks.defaultErrorHandler = handler
      Hooks.customCaptureSubscriptionCallstack = capture
    }
    let depths = EventRecorder<Int>()
    // Other tests of this suite report to their own handler.
    Hooks.defaultErrorHandler = { stack, _ in if stack == ["here"] { depths.append(stackDepth()) } }
    Hooks.customCaptureSubscriptionCallstack = {
      depths.append(stackDepth())
      return []
    }
    let call = {
      Hooks.defaultErrorHandler(["here"], Traced())
      _ = Hooks.customCaptureSubscriptionCallstack()
    }
    for _ in 0..<1000 { call() }
    let (first, last) = (depths.events.prefix(2), depths.events.suffix(2))
    #expect(Array(first) == Array(last))
  }

  #if DEBUG
  private struct Marked: Sendable {}

  private enum Sending: CaseIterable {
    case publishSubject, behaviorSubject, publishRelay, behaviorRelay, replayRelay

    /// The observable and a closure that sends an element to it.
    var pair: (Observable<Marked>, @Sendable () -> Void) {
      switch self {
      case .publishSubject:
        let subject = PublishSubject<Marked>()
        return (subject, { subject.onNext(Marked()) })
      case .behaviorSubject:
        let subject = BehaviorSubject(value: Marked())
        return (subject.skip(1), { subject.onNext(Marked()) })
      case .publishRelay:
        let relay = PublishRelay<Marked>()
        return (relay.asObservable(), { relay.accept(Marked()) })
      case .behaviorRelay:
        let relay = BehaviorRelay(value: Marked())
        return (relay.skip(1), { relay.accept(Marked()) })
      case .replayRelay:
        let relay = ReplayRelay<Marked>.create(bufferSize: 1)
        return (relay.asObservable(), { relay.accept(Marked()) })
      }
    }

    var name: String {
      let name = "\(self)"
      return "\(name.prefix(1).uppercased())\(name.dropFirst())<Marked>"
    }
  }

  @Test(arguments: Sending.allCases)
  private func `a subject reports overlapping sends of two threads once and delivers them`(
    kind: Sending
  ) {
    let count = Locked(0)
    let reports = reported {
      let (observable, send) = kind.pair
      let subscription = observable.subscribe(onNext: { _ in
        let number = count.withLock {
          $0 += 1
          return $0
        }
        if number == 1 { onThreads(2) { _ in send() } }
      })
      send()
      onAnotherThread { send() }
      subscription.dispose()
    }
    #expect(reports == [kind.name])
    #expect(count.withLock { $0 } == 4)
  }

  @Test(arguments: Sending.allCases)
  private func `a subject reports nested sends once and delivers them nested`(kind: Sending) {
    let log = EventRecorder<String>()
    let reports = reported {
      let (observable, send) = kind.pair
      let subscription = observable.subscribe(onNext: { _ in
        log.append("in")
        if log.count < 4 { send() }
        log.append("out")
      })
      send()
      send()
      subscription.dispose()
    }
    #expect(reports == ["nested \(kind.name)"])
    #expect(log.events.prefix(8) == ["in", "in", "in", "in", "out", "out", "out", "out"])
  }

  @Test func `a subject reports a nested end, and not sends to other subjects`() {
    let reports = reported {
      let (subject, other) = (PublishSubject<Marked>(), BehaviorSubject(value: Marked()))
      let bag = DisposeBag()
      // A replay does not count as a send.
      other.take(1).subscribe(onNext: { _ in other.onNext(Marked()) }).disposed(by: bag)
      subject.subscribe(onNext: { other.onNext($0) }).disposed(by: bag)
      subject.onNext(Marked())
      subject.onNext(Marked())
      subject.subscribe(onNext: { _ in subject.onCompleted() }).disposed(by: bag)
      subject.onNext(Marked())
    }
    #expect(reports == ["nested PublishSubject<Marked>"])
  }
  #endif
}
