import Reactive
import RxReference

// Operators of one source without time.
extension Operator {
  static let transforming: [Operator] = [
    Operator(
      "map", 1, [.action], "@a.map { ~0($0) &* 10 }",
      { c in c.a.map { try c(0, $0) &* 10 } }, { c in c.a.map { try c(0, $0) &* 10 } }),
    Operator(
      "compactMap", 1, [.action], "@a.compactMap { ~0($0) % 2 == 0 ? nil : $0 }",
      { c in c.a.compactMap { try c(0, $0) % 2 == 0 ? nil : $0 } },
      { c in c.a.compactMap { try c(0, $0) % 2 == 0 ? nil : $0 } }),
    Operator(
      "filter", 1, [.action], "@a.filter { ~0($0) % 2 == 1 }",
      { c in c.a.filter { try c(0, $0) % 2 == 1 } }, { c in c.a.filter { try c(0, $0) % 2 == 1 } }),
    Operator(
      "scan", 1, [.action], "@a.scan(0) { ~0($1) &+ $0 }",
      { c in c.a.scan(0) { $0 &+ (try c(0, $1)) } }, { c in c.a.scan(0) { $0 &+ (try c(0, $1)) } }),
    Operator(
      "scan(into:)", 1, "@a.scan(into: 1) { $0 = $0 &* 2 &+ $1 }",
      { $0.a.scan(into: 1) { $0 = $0 &* 2 &+ $1 } }, { $0.a.scan(1) { $0 &* 2 &+ $1 } }),
    Operator(
      "reduce", 1, [.action], "@a.reduce(0) { ~0($1) &+ $0 }",
      { c in c.a.reduce(0) { $0 &+ (try c(0, $1)) } },
      { c in c.a.reduce(0) { $0 &+ (try c(0, $1)) } }),
    Operator(
      "toArray", 1, "@a.toArray().asObservable().map { $0.reduce(1, &+) }",
      { $0.a.toArray().asObservable().map { $0.reduce(1, &+) } },
      { $0.a.toArray().map { $0.reduce(1, &+) } }),
    Operator(
      "enumerated", 1, "@a.enumerated().map { $0.index &* 100 &+ $0.element }",
      { $0.a.enumerated().map { $0.index &* 100 &+ $0.element } },
      { $0.a.enumerated().map { $0.index &* 100 &+ $0.element } }),
    Operator(
      "startWith", 1, [.count, .count], "@a.startWith(#0, #1)",
      { $0.a.startWith($0[0], $0[1]) }, { $0.a.startWith([$0[0], $0[1]]) }),
    Operator(
      "materialize", 1, "@a.materialize().map { $0.element ?? ($0.isCompleted ? -1 : -2) }",
      { $0.a.materialize().map { $0.element ?? ($0.isCompleted ? -1 : -2) } },
      { c in
        c.a.materialize().map {
          switch $0 {
          case .next(let element): element
          case .end(let fault): fault == nil ? -1 : -2
          }
        }
      }),
    Operator(
      "dematerialize", 1, [.action], "@a.materialize().filter { _ in ~0(0) == 0 }.dematerialize()",
      { c in c.a.materialize().filter { _ in try c(0, 0) == 0 }.dematerialize() },
      { c in c.a.materialize().filter { _ in try c(0, 0) == 0 }.dematerialize() }),
    Operator(
      "do", 1, [.action, .action, .action, .action],
      "@a.do(onNext: { _ = ~0($0) }, afterNext: { _ = ~1($0) }, onError: { _ in _ = ~2(0) },"
        + " afterError: { _ in _ = ~3(0) }, onCompleted: { _ = ~2(1) }, afterCompleted: { _ = ~3(1) })",
      { c in
        c.a.do(
          onNext: { _ = try c(0, $0) }, afterNext: { _ = try c(1, $0) },
          onError: { _ in _ = try c(2, 0) }, afterError: { _ in _ = try c(3, 0) },
          onCompleted: { _ = try c(2, 1) }, afterCompleted: { _ = try c(3, 1) },
          onSubscribe: { c.note(.called, 2) }, onSubscribed: { c.note(.called, 3) },
          onDispose: { c.note(.disposed, 4) })
      },
      { c in
        c.a.do(
          onNext: { _ = try c(0, $0) }, afterNext: { _ = try c(1, $0) },
          onEnd: { _ = try c(2, $0 == nil ? 1 : 0) }, afterEnd: { _ = try c(3, $0 == nil ? 1 : 0) },
          onSubscribe: { c.note(.called, 2) }, onSubscribed: { c.note(.called, 3) },
          onDispose: { c.note(.disposed, 4) })
      }),
  ]

  static let filtering: [Operator] = [
    Operator("take", 1, [.count], "@a.take(#0)", { $0.a.take($0[0]) }, { $0.a.take($0[0]) }),
    Operator(
      "take(while:)", 1, [.count, .count(0...1), .action],
      "@a.take(while: { ~2($0) < #0 }, behavior: [.exclusive, .inclusive][#1])",
      { c in
        c.a.take(while: { try c(2, $0) < c[0] }, behavior: c[1] == 0 ? .exclusive : .inclusive)
      },
      { c in c.a.take(while: { try c(2, $0) < c[0] }, inclusive: c[1] == 1) }),
    Operator(
      "take(until predicate)", 1, [.count, .count(0...1), .action],
      "@a.take(until: { ~2($0) == #0 }, behavior: [.exclusive, .inclusive][#1])",
      { c in
        c.a.take(until: { try c(2, $0) == c[0] }, behavior: c[1] == 0 ? .exclusive : .inclusive)
      },
      { c in c.a.take(while: { try c(2, $0) != c[0] }, inclusive: c[1] == 1) }),
    Operator(
      "takeLast", 1, [.count], "@a.takeLast(#0)",
      { $0.a.takeLast($0[0]) }, { $0.a.takeLast($0[0]) }),
    Operator("skip", 1, [.count], "@a.skip(#0)", { $0.a.skip($0[0]) }, { $0.a.skip($0[0]) }),
    Operator(
      "skip(while:)", 1, [.count, .action], "@a.skip(while: { ~1($0) < #0 })",
      { c in c.a.skip(while: { try c(1, $0) < c[0] }) },
      { c in c.a.skip(while: { try c(1, $0) < c[0] }) }),
    Operator(
      "element(at:)", 1, [.count], "@a.element(at: #0)",
      { $0.a.element(at: $0[0]) }, { $0.a.element(at: $0[0]) }),
    Operator(
      "first", 1, "@a.first().asObservable().map { $0 ?? -1 }",
      { $0.a.first().asObservable().map { $0 ?? -1 } },
      { $0.a.take(1).ifEmpty(switchTo: .just(-1)) }),
    Operator("single", 1, "@a.single()", { $0.a.single() }, { $0.a.single() }),
    Operator(
      "single(predicate)", 1, [.count, .action], "@a.single { ~1($0) == #0 }",
      { c in c.a.single { try c(1, $0) == c[0] } },
      { c in c.a.filter { try c(1, $0) == c[0] }.single() }),
    Operator(
      "ignoreElements", 1, "@a.ignoreElements().map { (_: Never) -> Int in }",
      { $0.a.ignoreElements().map { (_: Never) -> Int in } }, { $0.a.filter { _ in false } }),
    Operator(
      "ifEmpty(default:)", 1, [.count], "@a.ifEmpty(default: #0)",
      { $0.a.ifEmpty(default: $0[0]) }, { $0.a.ifEmpty(switchTo: .just($0[0])) }),
    Operator(
      "distinctUntilChanged", 1, "@a.distinctUntilChanged()",
      { $0.a.distinctUntilChanged() }, { $0.a.distinctUntilChanged({ $0 }, ==) }),
    Operator(
      "distinctUntilChanged(comparer)", 1, [.action],
      "@a.distinctUntilChanged { ~0($0) % 2 == $1 % 2 }",
      { c in c.a.distinctUntilChanged { try c(0, $0) % 2 == $1 % 2 } },
      { c in c.a.distinctUntilChanged({ $0 }) { try c(0, $0) % 2 == $1 % 2 } }),
    Operator(
      "distinctUntilChanged(key)", 1, [.action], "@a.distinctUntilChanged { ~0($0) / 2 }",
      { c in c.a.distinctUntilChanged { try c(0, $0) / 2 } },
      { c in c.a.distinctUntilChanged({ try c(0, $0) / 2 }, ==) }),
    Operator(
      "catchAndReturn", 1, [.count], "@a.catchAndReturn(#0)",
      { $0.a.catchAndReturn($0[0]) }, { c in c.a.catch { _ in .just(c[0]) } }),
    Operator(
      "retry", 1, [.count], "@a.retry(#0)", { $0.a.retry($0[0]) }, { $0.a.retry($0[0]) }),
  ]
}
