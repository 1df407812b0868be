import Reactive

extension Table {
  mutating func addCreation() {
    source("Observable.create(_:)", "1 2 |") { _ in
      .create { observer in
        for element in 1...2 { observer.onNext(element) }
        observer.onCompleted()
        return Disposables.create()
      }
    }
    source("Observable.deferred(_:)", "1 2 |") { _ in .deferred { .of(1, 2) } }
    source("Observable.just(_:)", "1 |") { _ in .just(1) }
    source("Observable.just(_:scheduler:)", "1 |") { .just(1, scheduler: $0) }
    source("Observable.empty()", "|") { _ in .empty() }
    source("Observable.never()", "") { _ in .never() }
    source("Observable.error(_:)", "x") { _ in .error(TestError.any) }
    source("Observable.of(_:scheduler:)", "1 2 3 |") { .of(1, 2, 3, scheduler: $0) }
    source("Observable.of(_:scheduler:)", "1 2 3 |") { _ in .of(1, 2, 3) }
    source("Observable.from(_:scheduler:)", "1 2 3 |") { _ in .from([1, 2, 3]) }
    source("Observable.from(_:scheduler:)", "1 2 3 |") { .from(1...3, scheduler: $0) }
    source("Observable.from(optional:)", "1 |") { _ in .from(optional: 1) }
    source("Observable.from(optional:)", "|") { _ in .from(optional: nil) }
    source("Observable.from(optional:scheduler:)", "1 |") { .from(optional: 1, scheduler: $0) }
    source("Observable.range(start:count:scheduler:)", "5 6 |") { _ in .range(start: 5, count: 2) }
    source("Observable.range(start:count:scheduler:)", "5 6 |") {
      .range(start: 5, count: 2, scheduler: $0)
    }
    source("Observable.generate(initialState:condition:scheduler:iterate:)", "1 2 |") { _ in
      .generate(initialState: 1, condition: { $0 < 3 }, iterate: { $0 + 1 })
    }
    source("Observable.generate(initialState:condition:scheduler:iterate:)", "1 2 |") {
      .generate(initialState: 1, condition: { $0 < 3 }, scheduler: $0, iterate: { $0 + 1 })
    }
    source("Observable.repeatElement(_:scheduler:)", "5 5 |") { _ in
      Observable.repeatElement(5).take(2)
    }
    source("Observable.repeatElement(_:scheduler:)", "5 5 |") {
      Observable.repeatElement(5, scheduler: $0).take(2)
    }
    source("Observable.using(_:observableFactory:)", "1 2 |") { _ in
      .using({ SerialDisposable() }, observableFactory: { _ in .of(1, 2) })
    }
    source("Observable.interval(_:scheduler:)", "0 1 2 3") {
      .interval(.seconds(10), scheduler: $0)
    }
    source("Observable.timer(_:period:scheduler:)", "0 |") { .timer(.seconds(10), scheduler: $0) }
    source("Observable.timer(_:period:scheduler:)", "0 1") {
      .timer(.seconds(10), period: .seconds(20), scheduler: $0)
    }
  }
}
