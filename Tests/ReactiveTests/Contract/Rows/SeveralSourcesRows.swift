import Reactive

extension Table {
  mutating func addSeveralSources() {
    // Merging
    two("Observable.merge(_:)", "1 11 2 12 3 13 |", .emitsAll) { .merge($0, $1) }
    two("Observable.merge(_:)", "1 11 2 12 3 13 |", .emitsAll) { .merge([$0, $1]) }
    two("Observable.merge(_:)", "1 11 2 12 3 13 |", .emitsAll) {
      .merge(ContiguousArray([$0, $1]))
    }
    two("merge()", "1 11 2 12 3 13 |", .emitsAll) { Observable.of($0, $1).merge() }
    two("merge()", "11 12 12 13 13 13 |") { first, second in first.map { _ in second }.merge() }
    let delaying: Row.Traits = [.emitsAll, .handlesErrors]
    two("Observable.merge(_:delayErrors:)", "1 11 2 12 3 13 |", delaying) {
      .merge([$0, $1], delayErrors: true)
    }
    two("Observable.merge(_:delayErrors:)", "1 11 2 12 3 13 |", .emitsAll) {
      .merge([$0, $1], delayErrors: false)
    }
    two("merge(delayErrors:)", "1 11 2 12 3 13 |", delaying) {
      Observable.of($0, $1).merge(delayErrors: true)
    }
    two("merge(delayErrors:)", "1 11 2 12 3 13 |", .emitsAll) {
      Observable.of($0, $1).merge(delayErrors: false)
    }
    two("merge(maxConcurrent:)", "11 12 12 13 13 |", .dependsOnEnd) { first, second in
      first.map { _ in second }.merge(maxConcurrent: 2)
    }
    two("merge(maxConcurrent:)", "11 12 12 13 13 13 |") { first, second in
      first.map { _ in second }.merge(maxConcurrent: .max)
    }
    two("flatMap(_:)", "11 12 12 13 13 13 |") { first, second in first.flatMap { _ in second } }
    two("concatMap(_:)", "11 12 13 |", .dependsOnEnd) { first, second in
      first.concatMap { _ in second }
    }
    two("concatMapEager(_:)", "11 12 13 12 13 13 |", .dependsOnEnd) { first, second in
      first.concatMapEager { _ in second }
    }
    // The source and the observables made of its elements: elements that an observer sends arrive
    // before those.
    several(1, "expand(_:)", "1 101 2 102 3 103 |") {
      $0[0].expand { $0 < 100 ? Observable.just($0 + 100) : .empty() }
    }
    two("flatMapFirst(_:)", "11 12 13 |") { first, second in first.flatMapFirst { _ in second } }
    two("flatMapLatest(_:)", "11 12 13 |") { first, second in first.flatMapLatest { _ in second } }
    two("switchLatest()", "11 12 13 |") { first, second in first.map { _ in second }.switchLatest()
    }

    // Selecting one source
    two("amb(_:)", "1 2 3 |") { $0.amb($1) }
    two("Observable.amb(_:)", "1 2 3 |") { .amb([$0, $1]) }

    // Concatenating
    two("Observable.concat(_:)", "1 2 3 |", .dependsOnEnd) { .concat($0, $1) }
    two("Observable.concat(_:)", "1 2 3 |", .dependsOnEnd) { .concat([$0, $1]) }
    two("concat(_:)", "1 2 3 |", .dependsOnEnd) { $0.concat($1) }
    two("concat(_:)", "11 12 13 |") { Observable.empty().concat($1).concat($0) }
    two("concat()", "11 12 13 |", .dependsOnEnd) { first, second in
      first.map { _ in second }.concat()
    }

    // Latest elements
    two("withLatestFrom(_:resultSelector:)", "13 15 |", .dependsOnOrder) {
      $0.withLatestFrom($1, resultSelector: { $0 + $1 })
    }
    two("withLatestFrom(_:)", "11 12 |", .dependsOnOrder) { $0.withLatestFrom($1) }

    two("sample(_:defaultValue:)", "1 2 3 |", .mayNotEnd) { $0.sample($1) }
    two("sample(_:defaultValue:)", "1 2 3 7 |", [.dependsOnEnd, .mayNotEnd]) {
      $0.sample($1, defaultValue: 7)
    }

    // Notifiers
    two("skip(until:)", "2 3 |", .mayNotEnd) { $0.skip(until: $1) }
    two("take(until:)", "1 2 3 |", .feedsFirst) { $0.take(until: $1) }
  }
}
