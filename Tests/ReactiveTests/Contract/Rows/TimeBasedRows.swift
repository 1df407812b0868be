import Reactive

extension Table {
  mutating func addTimeBased() {
    timed("debounce(_:scheduler:)", "1 2 3 |") { $0.debounce(.seconds(5), scheduler: $1) }
    timed("debounce(_:scheduler:)", "3 |") { $0.debounce(.seconds(15), scheduler: $1) }
    timed("debounce(_:scheduler:)", "3 |") { $0.debounce(.never, scheduler: $1) }
    timed("throttle(_:latest:scheduler:)", "1 2 3 |") { $0.throttle(.seconds(15), scheduler: $1) }
    timed("throttle(_:latest:scheduler:)", "1 3 |") {
      $0.throttle(.seconds(15), latest: false, scheduler: $1)
    }
    timed("delay(_:scheduler:)", "1 2 3 |") { $0.delay(.seconds(5), scheduler: $1) }
    timed("delay(_:scheduler:)", "1 2 3 |") { $0.delay(.seconds(-5), scheduler: $1) }
    timed("delay(_:scheduler:)", "") { $0.delay(.never, scheduler: $1) }
    timed("delaySubscription(_:scheduler:)", "2 3 |") {
      $0.delaySubscription(.seconds(5), scheduler: $1)
    }
    timed("delaySubscription(_:scheduler:)", "") { $0.delaySubscription(.never, scheduler: $1) }
    timed("retry(_:scheduler:if:random:)", "1 2 3 |", .handlesErrors) {
      $0.retry(.fixed(.seconds(5), maxAttempts: 1), scheduler: $1)
    }
    timed("retry(_:scheduler:if:random:)", "1 2 3 |") { $0.retry(.none, scheduler: $1) }
    timed("timeout(_:scheduler:)", "1 2 3 |") { $0.timeout(.seconds(15), scheduler: $1) }
    timed("timeout(_:scheduler:)", "1 2 3 |") { $0.timeout(.never, scheduler: $1) }
    timed("timeout(_:other:scheduler:)", "1 7 8 |") {
      $0.timeout(.seconds(5), other: Observable.of(7, 8), scheduler: $1)
    }
    timed("take(for:scheduler:)", "1 2 |") { $0.take(for: .seconds(15), scheduler: $1) }
    timed("take(for:scheduler:)", "1 2 3 |") { $0.take(for: .never, scheduler: $1) }
    timed("skip(_:scheduler:)", "2 3 |") { $0.skip(.seconds(5), scheduler: $1) }
    timed("skip(_:scheduler:)", "|") { $0.skip(.never, scheduler: $1) }
    timed("buffer(timeSpan:count:scheduler:)", "3 3 0 |", .dependsOnEnd) {
      $0.buffer(timeSpan: .seconds(15), count: 2, scheduler: $1).map { $0.reduce(0, +) }
    }
    timed("buffer(timeSpan:count:scheduler:)", "6 |") {
      $0.buffer(timeSpan: .never, count: .max, scheduler: $1).map { $0.reduce(0, +) }
    }
    timed("window(timeSpan:count:scheduler:)", "1 2 3 |") {
      $0.window(timeSpan: .seconds(15), count: 2, scheduler: $1).merge()
    }
    timed("observe(on:)", "1 2 3 |") { $0.observe(on: $1) }
    timed("observe(on:buffer:onDropped:)", "1 2 3 |") {
      $0.observe(on: $1, buffer: .bounded(2, .dropOldest))
    }
    timed("observe(on:buffer:onDropped:)", "1 2 3 |") {
      $0.observe(on: $1, buffer: .bounded(2, .fail))
    }
    timed("observe(on:buffer:onDropped:)", "1 2 3 |") {
      $0.observe(on: $1, buffer: .bounded(1, .suspend))
    }
    timed("subscribe(on:)", "1 2 3 |", .disposesInTurn) { $0.subscribe(on: $1) }
  }
}
