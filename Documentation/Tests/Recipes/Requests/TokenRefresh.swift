// Token refresh
//
// Problem: Ten requests fail at once because the access token has expired: one refresh should serve
// them all, and each request should be repeated with the new token.
//
// Words: access token expired, unauthorized, authentication, one refresh for many failures, OAuth,
// interceptor
//
// Why: `share` makes one refresh of those that are wanted at the same time. A request whose token
// is no longer the current one does not refresh at all: another request already has.
//
// Ends: With the reply. It fails with the error of the refresh, or of the repeated request, which
// is not repeated again. A refresh is cancelled when all requests that wait for it are disposed of.
//
// See: share, catch, deferred, flatMap, Reactive/Sharing

import Reactive
import ReactiveTesting
import Testing

struct TokenExpired: Error {}

final class Session: Sendable {
  private let token: BehaviorRelay<String>
  private let refreshed: Observable<String>

  init(token: String, refresh: @escaping @Sendable () -> Single<String>) {
    let current = BehaviorRelay(value: token)
    self.token = current
    refreshed = Single.deferred(refresh).asObservable()
      .do(onNext: { current.accept($0) })
      .share(replay: 1, scope: .whileConnected)
  }

  /// The reply to a request, which is repeated once when its token has expired.
  func reply<Reply>(
    to request: @escaping @Sendable (_ token: String) -> Observable<Reply>
  ) -> Observable<Reply> {
    .deferred { [token, refreshed] in
      let used = token.value
      return request(used).catch { error in
        guard error is TokenExpired else { throw error }
        return token.value == used ? refreshed.flatMap(request) : request(token.value)
      }
    }
  }
}

@Test func `many failures share one refresh`() {
  let scheduler = TestScheduler(initialClock: 0)
  let refresh = scheduler.createColdObservable([.next(2, "new"), .completed(2)])
  let session = Session(token: "old") { refresh.asSingle() }
  let observer = scheduler.start(created: 0, subscribed: 0, disposed: 60) {
    Observable.range(start: 1, count: 3).flatMap { number in
      session.reply { token in
        Observable<Int>.timer(.seconds(number), scheduler: scheduler).map { _ in
          if token == "old" { throw TokenExpired() }
          return "reply \(number) for \(token)"
        }
      }
    }
  }
  // The requests fail after 1, 2 and 3 seconds. The refresh takes until second 3.
  #expect(refresh.subscriptions == [Subscription(1, 3)])
  #expect(
    observer.events == [
      .next(4, "reply 1 for new"), .next(5, "reply 2 for new"), .next(6, "reply 3 for new"),
      .completed(6),
    ])
}
