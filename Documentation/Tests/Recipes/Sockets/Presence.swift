// Presence
//
// Problem: A list shows who is online: each user sends a sign of life every few seconds, and who is
// silent for ten seconds is offline.
//
// Words: online users, who is online, last seen, groupBy, per user timeout
//
// Why: `groupBy` makes a stream for each user, so that each has a timer of their own.
// `flatMapLatest` starts that timer anew with each sign of life.
//
// Ends: Ten seconds after the signs of life have ended, when all users are offline. It fails with
// them, at once. A group stays for each user that was ever seen: for millions of users, let the
// server decide who is online.
//
// See: groupBy, flatMapLatest, scan(into:), delaySubscription, Reactive/Transforming

import Reactive
import ReactiveTesting
import Testing

/// The users who have sent a sign of life in the last ten seconds.
func usersOnline<User: Hashable & Sendable>(
  _ signs: Observable<User>, on scheduler: any SchedulerType
) -> Observable<Set<User>> {
  signs
    .groupBy { $0 }
    .flatMap { user in
      user.flatMapLatest { _ in
        Observable.concat(
          .just(true),
          .just(false).delaySubscription(.seconds(10), scheduler: scheduler))
      }
      .map { (name: user.key, isOnline: $0) }
    }
    .scan(into: Set<User>()) { users, change in
      if change.isOnline { users.insert(change.name) } else { users.remove(change.name) }
    }
    .distinctUntilChanged()
}

@Test func `a user is online until ten seconds without a sign of life`() {
  let online = play("-a--b--b--------------") { signs, scheduler in
    usersOnline(signs, on: scheduler).map { "\($0.count)" }
  }
  // a is seen at 1 s, b at 4 s and 7 s: a leaves at 11 s, b at 17 s.
  #expect(online == "-1--2------1-----0----")
}
