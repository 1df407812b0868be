import Reactive
import RxReference

// Operators of several sources.
extension Operator {
  static let combining: [Operator] = [
    Operator(
      "merge", 2, ".merge(@a, @b)", { .merge($0.a, $0.b) }, { .merge([$0.a, $0.b]) }),
    Operator(
      "merge of 3", 3, ".merge([@a, @b, @c])",
      { .merge([$0.a, $0.b, $0.c]) }, { .merge($0.inputs) }),
    Operator("concat", 2, "@a.concat(@b)", { $0.a.concat($0.b) }, { .concat($0.inputs) }),
    Operator(
      "concat of 3", 3, ".concat([@a, @b, @c])",
      { .concat([$0.a, $0.b, $0.c]) }, { .concat($0.inputs) }),
    Operator(
      "combineLatest", 2, [.action], ".combineLatest(@a, @b) { ~0($0) &* 100 &+ $1 }",
      { c in .combineLatest(c.a, c.b) { try c(0, $0) &* 100 &+ $1 } },
      { c in .combineLatest(c.inputs) { try c(0, $0[0]) &* 100 &+ $0[1] } }),
    Operator(
      "combineLatest of 3", 3, ".combineLatest(@a, @b, @c) { $0 &* 10_000 &+ $1 &* 100 &+ $2 }",
      { .combineLatest($0.a, $0.b, $0.c) { $0 &* 10_000 &+ $1 &* 100 &+ $2 } },
      { .combineLatest($0.inputs) { $0[0] &* 10_000 &+ $0[1] &* 100 &+ $0[2] } }),
    Operator(
      "combineLatest of a collection", 2, ".combineLatest([@a, @b]) { $0[0] &- $0[1] }",
      { .combineLatest([$0.a, $0.b]) { $0[0] &- $0[1] } },
      { .combineLatest($0.inputs) { $0[0] &- $0[1] } }),
    Operator(
      "zip", 2, [.action], ".zip(@a, @b) { ~0($0) &* 100 &+ $1 }",
      { c in .zip(c.a, c.b) { try c(0, $0) &* 100 &+ $1 } },
      { c in .zip(c.inputs, endsEarly: false) { try c(0, $0[0]) &* 100 &+ $0[1] } }),
    Operator(
      "zip of 3", 3, ".zip(@a, @b, @c) { $0 &* 10_000 &+ $1 &* 100 &+ $2 }",
      { .zip($0.a, $0.b, $0.c) { $0 &* 10_000 &+ $1 &* 100 &+ $2 } },
      { .zip($0.inputs, endsEarly: false) { $0[0] &* 10_000 &+ $0[1] &* 100 &+ $0[2] } }),
    Operator(
      "zip of a collection", 2, ".zip([@a, @b]) { $0[0] &- $0[1] }",
      { .zip([$0.a, $0.b]) { $0[0] &- $0[1] } },
      { .zip($0.inputs, endsEarly: true) { $0[0] &- $0[1] } }),
    Operator(
      "withLatestFrom", 2, [.action], "@a.withLatestFrom(@b) { ~0($0) &* 100 &+ $1 }",
      { c in c.a.withLatestFrom(c.b) { try c(0, $0) &* 100 &+ $1 } },
      { c in c.a.withLatestFrom(c.b) { try c(0, $0) &* 100 &+ $1 } }),
    Operator("amb", 2, "@a.amb(@b)", { $0.a.amb($0.b) }, { .amb($0.inputs) }),
    Operator(
      "amb of 3", 3, ".amb([@a, @b, @c])", { .amb([$0.a, $0.b, $0.c]) }, { .amb($0.inputs) }),
    Operator("sample", 2, "@a.sample(@b)", { $0.a.sample($0.b) }, { $0.a.sample($0.b) }),
    Operator(
      "sample(default)", 2, [.count], "@a.sample(@b, defaultValue: #0)",
      { $0.a.sample($0.b, defaultValue: $0[0]) }, { $0.a.sample($0.b, default: $0[0]) }),
    Operator(
      "take(until:)", 2, "@a.take(until: @b)", { $0.a.take(until: $0.b) },
      { $0.a.take(until: $0.b) }),
    Operator(
      "skip(until:)", 2, "@a.skip(until: @b)", { $0.a.skip(until: $0.b) },
      { $0.a.skip(until: $0.b) }),
    Operator(
      "ifEmpty(switchTo:)", 2, "@a.ifEmpty(switchTo: @b)",
      { $0.a.ifEmpty(switchTo: $0.b) }, { $0.a.ifEmpty(switchTo: $0.b) }),
  ]

  static let flattening: [Operator] = [
    Operator(
      "flatMap", 2, [.action], "@a.flatMap { ~0($0) % 2 == 0 ? @b : .just($0) }",
      { c in c.a.flatMap { try c(0, $0) % 2 == 0 ? c.b : .just($0) } },
      { c in c.a.flatMap { try c(0, $0) % 2 == 0 ? c.b : .just($0) } }),
    Operator(
      "flatMapFirst", 2, [.action], "@a.flatMapFirst { ~0($0) % 2 == 0 ? @b : .just($0) }",
      { c in c.a.flatMapFirst { try c(0, $0) % 2 == 0 ? c.b : .just($0) } },
      { c in c.a.flatMapFirst { try c(0, $0) % 2 == 0 ? c.b : .just($0) } }),
    Operator(
      "flatMapLatest", 2, [.action], "@a.flatMapLatest { ~0($0) % 2 == 0 ? @b : .just($0) }",
      { c in c.a.flatMapLatest { try c(0, $0) % 2 == 0 ? c.b : .just($0) } },
      { c in c.a.flatMapLatest { try c(0, $0) % 2 == 0 ? c.b : .just($0) } }),
    Operator(
      "merge()", 3, "Observable.of(@a, @b, @c).merge()",
      { RxObservable.of($0.a, $0.b, $0.c).merge() },
      { Stream<Stream<Int>>.of($0.inputs).flatMap { $0 } }),
    Operator(
      "switchLatest", 2, "Observable.of(@a, @b).switchLatest()",
      { RxObservable.of($0.a, $0.b).switchLatest() },
      { Stream<Stream<Int>>.of($0.inputs).flatMapLatest { $0 } }),
    Operator(
      "groupBy", 1, [.action],
      "@a.groupBy { ~0($0) % 2 }.flatMap { group in group.map { $0 &* 10 &+ group.key } }",
      { c in
        c.a.groupBy { try c(0, $0) % 2 }.flatMap { group in group.map { $0 &* 10 &+ group.key } }
      },
      { c in
        c.a.groupBy { try c(0, $0) % 2 }.flatMap { group in
          group.elements.map { $0 &* 10 &+ group.key }
        }
      }),
    Operator(
      "concatMap", 2, [.action], "@a.concatMap { ~0($0) % 2 == 0 ? @b : .just($0) }",
      { c in c.a.concatMap { try c(0, $0) % 2 == 0 ? c.b : .just($0) } },
      { c in c.a.merging(atMost: 1) { try c(0, $0) % 2 == 0 ? c.b : .just($0) } }),
    Operator(
      "merge(maxConcurrent:)", 3, [.count(1...2)],
      "Observable.of(@a, @b, @c).merge(maxConcurrent: #0)",
      { RxObservable.of($0.a, $0.b, $0.c).merge(maxConcurrent: $0[0]) },
      { c in Stream<Stream<Int>>.of(c.inputs).merging(atMost: c[0]) { $0 } }),
  ]

  static let recovering: [Operator] = [
    Operator(
      "catch", 2, [.action], "@a.catch { _ in _ = ~0(0); return @b }",
      { c in
        c.a.catch { _ in
          _ = try c(0, 0)
          return c.b
        }
      },
      { c in
        c.a.catch { _ in
          _ = try c(0, 0)
          return c.b
        }
      }),
    Operator(
      "catch(sequence:)", 2, ".catch(sequence: [@a, @b])",
      { .catch(sequence: [$0.a, $0.b]) }, { .catch(sequence: $0.inputs) }),
    Operator(
      "retry(when:)", 2, [.count],
      "@a.retry { (errors: Observable<any Error>) in errors.take(#0).flatMap { _ in @b } }",
      { c in
        c.a.retry { (errors: RxObservable<any Error>) in errors.take(c[0]).flatMap { _ in c.b } }
      },
      { c in c.a.retry { errors in errors.take(c[0]).flatMap { _ in c.b } } }),
  ]
}
