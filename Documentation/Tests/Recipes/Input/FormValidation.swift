// Form validation
//
// Problem: A form shows what is wrong with each field, asks the server whether the name is free,
// and enables its button when everything is right.
//
// Words: sign up, combineLatest, enable button, username availability, input validation
//
// Why: `flatMapLatest` drops the server's answer to an older name; `startWith` makes the name
// unchecked until the answer to the new one arrives. `combineLatest` has a value as soon as every
// field has one.
//
// Ends: Never, as its fields do not. It cannot fail: an error of the server is an unchecked name.
// Disposing of the subscription cancels the question to the server.
//
// See: combineLatest, flatMapLatest, debounce, startWith, Reactive/BehaviorRelay

import Reactive
import ReactiveTesting
import Testing

struct SignUpForm: Sendable {
  let name = BehaviorRelay(value: "")
  let password = BehaviorRelay(value: "")
  let repeated = BehaviorRelay(value: "")

  /// What prevents the sign-up; nil when the button is enabled.
  func problem(
    isFree: @escaping @Sendable (_ name: String) -> Single<Bool>, on scheduler: any SchedulerType
  ) -> Observable<String?> {
    let names = name.distinctUntilChanged()
      .flatMapLatest { name -> Observable<String?> in
        if name.count < 3 { return .just("A name has three letters at least.") }
        return isFree(name).asObservable()
          .delaySubscription(.milliseconds(300), scheduler: scheduler)
          .map { $0 ? nil : "\(name) is taken." }
          .catchAndReturn("\(name) could not be checked.")
          .startWith("\(name) is being checked.")
      }
    let passwords = Observable.combineLatest(password, repeated) { first, second in
      first == second ? nil : "The passwords differ."
    }
    return Observable.combineLatest(names, passwords) { $0 ?? $1 }.distinctUntilChanged()
  }
}

@Test func `a form names its first problem until there is none`() throws {
  let time = VirtualTime()
  let form = SignUpForm()
  let shown = ReplaySubject<String?>.createUnbounded()
  let subscription = form.problem(isFree: { .just($0 != "ada") }, on: time.scheduler)
    .subscribe(shown)
  form.name.accept("ada")
  time.advance(by: .milliseconds(300))
  form.name.accept("adam")
  form.password.accept("secret")
  time.advance(by: .milliseconds(300))
  form.repeated.accept("secret")
  subscription.dispose()
  shown.onCompleted()
  let problems = try shown.toBlocking().toArray()
  #expect(
    problems == [
      "A name has three letters at least.", "ada is being checked.", "ada is taken.",
      "adam is being checked.", "The passwords differ.", nil,
    ])
}
