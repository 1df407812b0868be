import Reactive
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct HooksTests {
  @Test func `an error that nobody handles is reported once`() {
    let errors = reported {
      _ = Observable<Int>.error(Unhandled(name: "subscribe")).subscribe(onNext: { _ in })
      _ = Observable<Int>.error(Unhandled(name: "handled")).subscribe(onError: { _ in })
      _ = Observable<Int>.error(Unhandled(name: "bind")).bind(onNext: { _ in })
      _ = Observable<Int>.error(Unhandled(name: "relay")).bind(to: BehaviorRelay(value: 0))
      _ = Single<Int>.error(Unhandled(name: "single")).subscribe(onSuccess: { _ in })
      _ = Maybe<Int>.error(Unhandled(name: "maybe")).subscribe(onSuccess: { _ in })
      _ = Completable.error(Unhandled(name: "completable")).subscribe(onCompleted: {})
      _ = Completable.error(Unhandled(name: "handled")).subscribe(onError: { _ in })
    }
    #expect(errors == ["subscribe", "bind", "relay", "single", "maybe", "completable"])
  }

  @Test func `an error that no closure of an object handles is reported too`() {
    final class Owner: Sendable {}
    let owner = Owner()
    let errors = reported {
      _ = Observable<Int>.error(Unhandled(name: "subscribe")).subscribe(with: owner)
      _ = Single<Int>.error(Unhandled(name: "single")).subscribe(with: owner)
      _ = Maybe<Int>.error(Unhandled(name: "maybe")).subscribe(with: owner)
      _ = Completable.error(Unhandled(name: "completable")).subscribe(with: owner)
      _ = Observable<Int>.error(Unhandled(name: "handled"))
        .subscribe(with: owner, onError: { _, _ in })
    }
    #expect(errors == ["subscribe", "single", "maybe", "completable"])
  }

  @Test func `the call stack of a subscription reaches the handler when that is asked for`() {
    let (handler, capture) = (
      Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack
    )
    defer {
      Hooks.defaultErrorHandler = handler
      Hooks.customCaptureSubscriptionCallstack = capture
      Hooks.recordCallStackOnError = false
    }
    let stacks = Log<String>()
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
    #expect(stacks.entries == ["", "here", "here", "here", "here"])
  }

  private struct Traced: Error {}

  @Test func `reading a hook leaves it as it is, however often`() {
    let (handler, capture) = (
      Hooks.defaultErrorHandler, Hooks.customCaptureSubscriptionCallstack
    )
    defer {
      Hooks.defaultErrorHandler = handler
      Hooks.customCaptureSubscriptionCallstack = capture
    }
    let depths = Log<Int>()
    // Serial, and nothing else: other tests of this suite report to a handler of their own.
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
    let (first, last) = (depths.entries.prefix(2), depths.entries.suffix(2))
    #expect(Array(first) == Array(last))
  }

  #if DEBUG
  private struct Marked: Sendable {}

  @Test func `a subject sent to by two threads at once is reported once, and works on`() {
    let count = Locked(0)
    let reports = reported {
      let subject = PublishSubject<Marked>()
      _ = subject.subscribe(onNext: { element in
        let depth = count.withLock {
          $0 += 1
          return $0
        }
        if depth == 1 { subject.onNext(element) }
        if depth == 2 { onThreads(2) { _ in subject.onNext(element) } }
      })
      subject.onNext(Marked())
      onAnotherThread { subject.onNext(Marked()) }
    }
    #expect(reports == ["PublishSubject<Marked>"])
    #expect(count.withLock { $0 } == 5)
  }
  #endif
}
