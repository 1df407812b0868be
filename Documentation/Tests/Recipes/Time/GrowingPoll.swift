// Exponential poll
//
// Problem: A report takes seconds or hours: ask often at first, and then less and less often, until
// it is ready.
//
// Words: exponential polling, poll with backoff, wait for job, long running job, status
//
// Why: A request that is not ready fails with an error of its own, and `retry` with a `Backoff`
// repeats it: the delays grow to their cap, and `if` lets real errors through.
//
// Ends: With the report, or with the first error that is not `NotReady`. Without `maxAttempts` it
// asks until it is cancelled: by `close`, or by the end of the composer.
//
// See: retry(backoff), interval, Reactive/Backoff, Compose/ReturningEffects

import Compose
import ReactiveTesting
import Testing

struct NotReady: Error {}

final class Report: Composer {
  enum Action: Equatable { case open, close, ready(String), failed }
  struct State: Equatable { var text: String?, isWaiting = false }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let fetch: @Sendable () async throws -> String

  init(fetch: @escaping @Sendable () async throws -> String) { self.fetch = fetch }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .open:
      state.isWaiting = true
      let delays = Backoff.exponential(
        base: .seconds(2), cap: .seconds(60), maxAttempts: nil, jitter: .none)
      return .run { [fetch] in .ready(try await fetch()) }
        .retry(delays, if: { $0 is NotReady })
        .catch { _ in .send(.failed) }
        .cancellable(id: "report", whenBusy: .ignore)
    case .close:
      state.isWaiting = false
      return .cancel(id: "report")
    case .ready(let text): (state.text, state.isWaiting) = (text, false)
    case .failed: state.isWaiting = false
    }
    return .none
  }
}

@Test func `a report is asked for after 2, 4, 8 seconds, and so on`() {
  let asked = BehaviorRelay<[Double]>(value: [])
  let time = VirtualTime()
  let test = TestComposer(
    Report {
      asked.accept(asked.value + [time.elapsed])
      if asked.value.count < 8 { throw NotReady() }
      return "42 pages"
    }, in: time)
  test.send(.open) { $0.isWaiting = true }
  test.advance(by: .seconds(600))
  test.receive(.ready("42 pages")) { ($0.text, $0.isWaiting) = ("42 pages", false) }
  #expect(asked.value == [0, 2, 6, 14, 30, 62, 122, 182])
  test.finish()
}
