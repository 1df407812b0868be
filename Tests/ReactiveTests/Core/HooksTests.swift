import Reactive
import Testing

// The hook is global: one test at a time replaces it, and what other tests report is not counted.
@Suite(.serialized) struct HooksTests {
  private struct Unhandled: Error { var name: String }

  private func reported(_ body: () -> Void) -> [String] {
    let log = Log<String>()
    let before = Hooks.defaultErrorHandler
    Hooks.defaultErrorHandler = { _, error in
      if let error = error as? Unhandled { log.append(error.name) }
    }
    body()
    Hooks.defaultErrorHandler = before
    return log.entries
  }

  @Test func `an error that nobody handles is reported once`() {
    let errors = reported {
      _ = Observable<Int>.error(Unhandled(name: "subscribe")).subscribe(onNext: { _ in })
      _ = Observable<Int>.error(Unhandled(name: "handled")).subscribe(onError: { _ in })
      _ = Observable<Int>.error(Unhandled(name: "bind")).bind(onNext: { _ in })
      _ = Observable<Int>.error(Unhandled(name: "relay")).bind(to: BehaviorRelay(value: 0))
      _ = Single<Int>.error(Unhandled(name: "single")).subscribe(onSuccess: { _ in })
    }
    #expect(errors == ["subscribe", "bind", "relay", "single"])
  }
}
