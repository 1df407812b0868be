import Reactive
import RxReference

// Operators of time, and operators that share.
extension Operator {
  static let timing: [Operator] = [
    Operator(
      "debounce", 1, [.ticks], "@a.debounce(.seconds(#0), scheduler: scheduler)",
      { $0.a.debounce(.seconds($0[0]), scheduler: $0.time) }, { $0.a.debounce($0[0], $0.time) }),
    Operator(
      "throttle", 1, [.ticks, .count(0...1)],
      "@a.throttle(.seconds(#0), latest: [true, false][#1], scheduler: scheduler)",
      { $0.a.throttle(.seconds($0[0]), latest: $0[1] == 0, scheduler: $0.time) },
      { $0.a.throttle($0[0], latest: $0[1] == 0, $0.time) }),
    Operator(
      "delay", 1, [.ticks], "@a.delay(.seconds(#0), scheduler: scheduler)",
      { $0.a.delay(.seconds($0[0]), scheduler: $0.time) }, { $0.a.delay($0[0], $0.time) }),
    Operator(
      "timeout", 1, [.ticks], "@a.timeout(.seconds(#0), scheduler: scheduler)",
      { $0.a.timeout(.seconds($0[0]), scheduler: $0.time) },
      { $0.a.timeout($0[0], other: .error(.timeout), $0.time) }),
    Operator(
      "timeout(other:)", 2, [.ticks], "@a.timeout(.seconds(#0), other: @b, scheduler: scheduler)",
      { $0.a.timeout(.seconds($0[0]), other: $0.b, scheduler: $0.time) },
      { $0.a.timeout($0[0], other: $0.b, $0.time) }),
    Operator(
      "take(for:)", 1, [.ticks], "@a.take(for: .seconds(#0), scheduler: scheduler)",
      { $0.a.take(for: .seconds($0[0]), scheduler: $0.time) },
      { $0.a.take(until: .timer($0[0], $0.time)) }),
    Operator(
      "skip(duration)", 1, [.ticks], "@a.skip(.seconds(#0), scheduler: scheduler)",
      { $0.a.skip(.seconds($0[0]), scheduler: $0.time) }, { $0.a.skip(for: $0[0], $0.time) }),
    Operator(
      "buffer", 1, [.ticks, .count(1...3)],
      "@a.buffer(timeSpan: .seconds(#0), count: #1, scheduler: scheduler).map { $0.reduce(1, &+) }",
      { c in
        c.a.buffer(timeSpan: .seconds(c[0]), count: c[1], scheduler: c.time).map {
          $0.reduce(1, &+)
        }
      },
      { c in c.a.buffer(c[0], count: c[1], c.time).map { $0.reduce(1, &+) } }),
    Operator(
      "window", 1, [.ticks, .count(1...3)],
      "@a.window(timeSpan: .seconds(#0), count: #1, scheduler: scheduler)"
        + ".enumerated().flatMap { window in window.element.map { $0 &+ window.index &* 100 } }",
      { c in
        c.a.window(timeSpan: .seconds(c[0]), count: c[1], scheduler: c.time)
          .enumerated().flatMap { window in window.element.map { $0 &+ window.index &* 100 } }
      },
      { c in
        c.a.window(c[0], count: c[1], c.time)
          .enumerated().flatMap { window in window.element.map { $0 &+ window.index &* 100 } }
      }),
    Operator(
      "observe(on:)", 1, "@a.observe(on: scheduler)",
      { $0.a.observe(on: $0.time) }, { $0.a.observe(on: $0.time) }),
  ]

  static let sharing: [Operator] = [
    Operator(
      "share", 1, [.count(0...2)], "@a.share(replay: #0)",
      { $0.a.share(replay: $0[0]) }, { $0.a.share(replay: $0[0], isForever: false) }),
    Operator(
      "share forever", 1, [.count(0...2)], "@a.share(replay: #0, scope: .forever)",
      { $0.a.share(replay: $0[0], scope: .forever) },
      { $0.a.share(replay: $0[0], isForever: true) }),
    Operator(
      "publish", 1, "@a.publish().refCount()",
      { $0.a.publish().refCount() }, { Stream.Connections($0.a) { Subject() }.counted }),
    Operator(
      "replay", 1, [.count(0...2)], "@a.replay(#0).refCount()",
      { $0.a.replay($0[0]).refCount() },
      { c in Stream.Connections(c.a) { Subject(replaying: c[0]) }.counted }),
    Operator(
      "multicast(async)", 1, "@a.multicast { AsyncSubject() }.refCount()",
      { $0.a.multicast { AsyncSubject() }.refCount() },
      { Stream.Connections($0.a) { Subject(asyncOf: Int.self) }.counted }),
    Operator(
      "multicast(selector:)", 1, [.action, .action],
      "@a.multicast({ _ = ~0(0); return PublishSubject<Int>() },"
        + " selector: { (source: Observable<Int>) in"
        + " _ = ~1(0); return Observable<Int>.merge(source, source.map { $0 &* 10 }) })",
      { c in
        c.a.multicast(
          { () throws -> PublishSubject<Int> in
            _ = try c(0, 0)
            return PublishSubject()
          },
          selector: {
            _ = try c(1, 0)
            return .merge($0, $0.map { $0 &* 10 })
          })
      },
      { c in
        c.a.multicast {
          _ = try c(0, 0)
          return Subject()
        } _: {
          _ = try c(1, 0)
          return .merge([$0, $0.map { $0 &* 10 }])
        }
      }),
    Operator(
      "connect", 1, [.ticks(0...9)],
      """
      { () -> Observable<Int> in
          let connectable = @a.publish()
          scheduler.scheduleAt(#0) {
            let connection = connectable.connect()
            scheduler.scheduleAt(40) { connection.dispose() }
          }
          return connectable
        }()
      """,
      { c in
        let connectable = c.a.publish()
        c.time.scheduleAt(c[0]) {
          let connection = connectable.connect()
          c.time.scheduleAt(Scenario.end) { connection.dispose() }
        }
        return connectable
      },
      { c in
        let connectable = Stream.Connections(c.a) { Subject() }
        c.time.at(c[0]) {
          let connection = connectable.connect()
          c.time.at(Scenario.end) { connection.dispose() }
        }
        return connectable.stream
      }),
  ]

  /// All operators of graphs.
  package static let all =
    sources + deferring + transforming + filtering + combining + flattening + recovering + timing
    + sharing

  /// Returns the operator with a name.
  package static func named(_ name: String) -> Operator? {
    all.first { $0.name == name }
  }
}
