import Reactive
import RxReference

extension Operator {
  static let sources: [Operator] = [
    Operator("just", 0, [.count], ".just(#0)", { .just($0[0]) }, { .just($0[0]) }),
    Operator("empty", 0, ".empty()", { _ in .empty() }, { _ in .empty() }),
    Operator("never", 0, ".never()", { _ in .never() }, { _ in .never() }),
    Operator("error", 0, ".error(Fault(4))", { _ in .error(Fault(4)) }, { _ in .error(Fault(4)) }),
    Operator(
      "of", 0, [.count], ".from(Array(0..<#0))",
      { .from(0..<$0[0]) }, { .of(Array(0..<$0[0])) }),
    Operator(
      "of on scheduler", 0, [.count], ".from(0..<#0, scheduler: scheduler)",
      { .from(0..<$0[0], scheduler: $0.time) }, { .of(Array(0..<$0[0]), $0.time) }),
    Operator(
      "just on scheduler", 0, [.count], ".just(#0, scheduler: scheduler)",
      { .just($0[0], scheduler: $0.time) }, { .of([$0[0]], $0.time) }),
    Operator(
      "from optional", 0, [.count(0...1)], ".from(optional: [nil, 1][#0])",
      { .from(optional: $0[0] == 0 ? nil : 1) }, { $0[0] == 0 ? .empty() : .just(1) }),
    Operator(
      "range", 0, [.count, .count], ".range(start: #0, count: #1)",
      { .range(start: $0[0], count: $0[1]) }, { .of(Array($0[0]..<$0[0] + $0[1])) }),
    Operator(
      "generate", 0, [.count, .action, .action],
      ".generate(initialState: 0, condition: { ~1($0) < #0 }, iterate: { ~2($0) + 1 })",
      { c in
        .generate(
          initialState: 0, condition: { try c(1, $0) < c[0] }, iterate: { try c(2, $0) + 1 })
      },
      { c in .generate(0, while: { try c(1, $0) < c[0] }) { try c(2, $0) + 1 } }),
    Operator(
      "repeatElement", 0, [.count(1...4)], ".repeatElement(7).take(#0)",
      { .repeatElement(7).take($0[0]) }, { .repeatElement(7).take($0[0]) }),
    Operator(
      "timer", 0, [.ticks], ".timer(.seconds(#0), scheduler: scheduler)",
      { .timer(.seconds($0[0]), scheduler: $0.time) }, { .timer($0[0], $0.time) }),
    Operator(
      "periodic timer", 0, [.ticks, .ticks],
      ".timer(.seconds(#0), period: .seconds(#1), scheduler: scheduler)",
      { .timer(.seconds($0[0]), period: .seconds($0[1]), scheduler: $0.time) },
      { .timer($0[0], period: $0[1], $0.time) }),
    Operator(
      "interval", 0, [.ticks], ".interval(.seconds(#0), scheduler: scheduler)",
      { .interval(.seconds($0[0]), scheduler: $0.time) },
      { .timer($0[0], period: $0[0], $0.time) }),
    Operator(
      "create", 0, [.count, .count(0...2)],
      """
      .create { observer in
          let end: [Event<Int>] = [.next(8), .completed, .error(Fault(5))]
          ((0..<#0).map { .next($0) } + [end[#1], .next(9)]).forEach(observer.on)
          return Disposables.create()
        }
      """,
      { c in
        .create { observer in
          let end: [Event<Int>] = [.next(8), .completed, .error(Fault(5))]
          // Events after the end are dropped.
          ((0..<c[0]).map { .next($0) } + [end[c[1]], .next(9)]).forEach(observer.on)
          return Disposables.create { c.note(.disposed, 0) }
        }
      },
      { c in
        .create { observer in
          for element in 0..<c[0] { observer.next(element) }
          if c[1] == 0 { observer.next(8) } else { observer.end(c[1] == 1 ? nil : Fault(5)) }
          observer.next(9)
          return Disposal { c.note(.disposed, 0) }
        }
      }),
    Operator(
      "hot", 0, [.count(0...1)], "hot#0.asObservable()", { $0.world.hots[$0[0]] },
      { $0.world.hots[$0[0]] }),
    Operator(
      "cold", 0, [.events], "cold",
      { $0.world.cold($0.arguments, $0.node) }, { $0.world.cold($0.arguments, $0.node) }),
    Operator(
      "subject", 0, [.count(0...2)], "subject#0",
      { $0.world.subjects[$0[0]] }, { $0.world.subjects[$0[0]] }),
    Operator(
      "shared", 0, "shared",
      { $0.world.shared ?? .never() }, { $0.world.shared ?? .never() }),
  ]

  /// A deferred source.
  static let deferring: [Operator] = [
    Operator(
      "deferred", 1, [.action], ".deferred { _ = ~0(0); return @a }",
      { c in
        .deferred {
          _ = try c(0, 0)
          return c.a
        }
      },
      { c in
        .deferred {
          _ = try c(0, 0)
          return c.a
        }
      }),
    Operator(
      "using", 1, [.action],
      ".using({ CompositeDisposable() }, observableFactory: { _ in _ = ~0(0); return @a })",
      { c in
        .using {
          c.note(.called, 0)
          return CompositeDisposable(disposables: [Disposables.create { c.note(.disposed, 0) }])
        } observableFactory: { _ in
          _ = try c(0, 0)
          return c.a
        }
      },
      { c in
        .using {
          c.note(.called, 0)
          return Disposal { c.note(.disposed, 0) }
        } _: {
          _ = try c(0, 0)
          return c.a
        }
      }),
    Operator(
      "delaySubscription", 1, [.ticks], "@a.delaySubscription(.seconds(#0), scheduler: scheduler)",
      { $0.a.delaySubscription(.seconds($0[0]), scheduler: $0.time) },
      { $0.a.delaySubscription($0[0], $0.time) }),
    Operator(
      "subscribe(on:)", 1, "@a.subscribe(on: scheduler)",
      { $0.a.subscribe(on: $0.time) }, { $0.a.subscribe(on: $0.time) }),
  ]
}
