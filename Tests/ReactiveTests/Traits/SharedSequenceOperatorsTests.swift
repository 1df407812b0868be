import Reactive
import ReactiveTesting
import TestSupport
import Testing

private let kinds: [any SharingStrategyProtocol.Type] = [
  DriverSharingStrategy.self, SignalSharingStrategy.self, InfallibleStrategy.self,
]

// Drivers deliver on the main actor.
@MainActor
@Suite(.workerPool) struct SharedSequenceOperatorsTests {
  @Test(arguments: kinds)
  func `transforming operators work on every shared sequence`(
    kind: any SharingStrategyProtocol.Type
  ) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      #expect(recorded(kind, [1, 2, 3]) { s, _ in s.map { $0 * 2 } } == "2 4 6 |")
      #expect(
        recorded(kind, [1, 2, 3]) { s, _ in s.compactMap { $0 == 2 ? nil : $0 } } == "1 3 |")
      #expect(recorded(kind, [1, 2, 3]) { s, _ in s.scan(10, accumulator: +) } == "11 13 16 |")
      #expect(
        recorded(kind, [1, 2, 3]) { s, _ in s.scan(into: 10) { $0 += $1 } } == "11 13 16 |")
      #expect(recorded(kind, [1, 2]) { s, _ in s.startWith(0) } == "0 1 2 |")
    }
    check(kind)
  }

  @Test(arguments: kinds)
  func `filtering operators work on every shared sequence`(kind: any SharingStrategyProtocol.Type) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      #expect(recorded(kind, [1, 2, 3]) { s, _ in s.filter { $0 > 1 } } == "2 3 |")
      #expect(recorded(kind, [1, 1, 2]) { s, _ in s.distinctUntilChanged() } == "1 2 |")
      #expect(
        recorded(kind, [1, 3, 2]) { s, _ in s.distinctUntilChanged { $0 % 2 } } == "1 2 |")
      #expect(
        recorded(kind, [1, 3, 2]) { s, _ in
          s.distinctUntilChanged { (a: Int, b: Int) in a % 2 == b % 2 }
        }
          == "1 2 |")
      #expect(
        recorded(kind, [1, 3, 2]) { s, _ in
          s.distinctUntilChanged({ "\($0)" }, comparer: { $0 == "1" && $1 == "3" })
        } == "1 2 |")
      #expect(
        recorded(kind, [1, 3, 2]) { s, _ in s.distinctUntilChanged(at: \.isOdd) } == "1 2 |")
      #expect(recorded(kind, [1, 2, 3]) { s, _ in s.take(2) } == "1 2 |")
      #expect(recorded(kind, [1, 2, 3]) { s, _ in s.skip(2) } == "3 |")
      #expect(
        recorded(kind, [1, 2, 3]) { s, scheduler in
          s.take(until: s.filter { $0 == 2 })
        } == "1 |")
      #expect(recorded(kind, [1, 2, 3]) { s, _ in s.take(until: { $0 == 2 }) } == "1 |")
      #expect(
        recorded(kind, [1, 2, 3]) { s, _ in s.take(until: { $0 == 2 }, behavior: .inclusive) }
          == "1 2 |")
      #expect(recorded(kind, [1, 2, 1]) { s, _ in s.take(while: { $0 < 2 }) } == "1 |")
      #expect(
        recorded(kind, [1, 2, 1]) { s, _ in s.take(while: { $0 < 2 }, behavior: .inclusive) }
          == "1 2 |")
      #expect(recorded(kind, [1, 2, 1]) { s, _ in s.skip(while: { $0 < 2 }) } == "2 1 |")
      #expect(
        recorded(kind, [1, 2, 3]) { s, _ in s.skip(until: s.filter { $0 == 2 }) }.hasSuffix("3 |"))
    }
    check(kind)
  }

  @Test(arguments: kinds)
  func `flattening operators work on every shared sequence`(kind: any SharingStrategyProtocol.Type)
  {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      typealias Numbers = SharedSequence<Strategy, Int>
      #expect(recorded(kind, [1, 2]) { s, _ in s.flatMap { Numbers.just($0 * 10) } } == "10 20 |")
      #expect(
        recorded(kind, [1, 2]) { s, _ in s.flatMapLatest { Numbers.just($0 * 10) } } == "10 20 |")
      #expect(
        recorded(kind, [1, 2]) { s, _ in
          s.flatMapFirst { $0 == 1 ? .never() : Numbers.just($0) }.take(until: s.skip(1))
        } == "|")
      #expect(
        recorded(kind, [1, 2]) { s, _ in s.flatMapFirst { Numbers.just($0 * 10) } } == "10 20 |")
      #expect(
        recorded(kind, [1, 2]) { s, _ in s.concatMap { Numbers.of($0, $0 * 10) } }
          == "1 10 2 20 |")
      #expect(recorded(kind, [1]) { s, _ in s.map { Numbers.just($0) }.merge() } == "1 |")
      #expect(
        recorded(kind, [1, 2]) { s, _ in
          s.map { Numbers.of($0, $0 * 10) }.merge(maxConcurrent: 1)
        } == "1 10 2 20 |")
      #expect(recorded(kind, [1]) { s, _ in s.map { Numbers.just($0) }.switchLatest() } == "1 |")
      #expect(recorded(kind, [2]) { s, _ in Numbers.merge(s, .just(1)) } == "1 2 |")
      #expect(recorded(kind, [2]) { s, _ in Numbers.merge([s, .just(1)]) } == "1 2 |")
      #expect(recorded(kind, [2]) { s, _ in Numbers.merge([s, .just(1)][...]) } == "1 2 |")
      #expect(recorded(kind, [2]) { s, _ in Numbers.concat(.just(1), s) } == "1 2 |")
      #expect(recorded(kind, [2]) { s, _ in Numbers.concat([.just(1), s]) } == "1 2 |")
      #expect(recorded(kind, [2]) { s, _ in .just(1).concat(s) as Numbers } == "1 2 |")
      #expect(
        recorded(kind, [2]) { s, _ in s.withLatestFrom(Numbers.just(1)) { $0 * 10 + $1 } }
          == "21 |")
      #expect(recorded(kind, [2]) { s, _ in s.withLatestFrom(Numbers.just(1)) } == "1 |")
    }
    check(kind)
  }

  @Test(arguments: kinds)
  func `operators of time use the strategy's scheduler`(
    kind: any SharingStrategyProtocol.Type
  ) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      func times(
        _ transform: @escaping (SharedSequence<Strategy, Int>) -> SharedSequence<Strategy, Int>
      ) -> [Int] {
        mocked { scheduler in
          transform(
            scheduler.createHotObservable([.next(210, 1), .next(220, 2), .next(300, 3)])
              .asSharedSequence(sharingStrategy: kind, onErrorJustReturn: 0))
        }.map(\.time)
      }
      let hop = kind == InfallibleStrategy.self ? 0 : 1
      #expect(times { $0.debounce(.seconds(30)) } == [250 + hop, 330 + hop])
      #expect(times { $0.throttle(.seconds(30)) } == [210 + hop, 240 + hop, 300 + hop])
      #expect(times { $0.throttle(.seconds(30), latest: false) } == [210 + hop, 300 + hop])
      #expect(times { $0.delay(.seconds(5)) } == [215 + hop, 225 + hop, 305 + hop])
    }
    check(kind)
  }

  @Test(arguments: kinds)
  func `do and debug work on every shared sequence`(kind: any SharingStrategyProtocol.Type) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      let log = EventRecorder<String>()
      let result = recorded(kind, [1]) { s, _ in
        s.do(
          onNext: { log.append("next \($0)") }, afterNext: { log.append("after \($0)") },
          onCompleted: { log.append("completed") }, afterCompleted: { log.append("ended") },
          onSubscribe: { log.append("subscribe") }, onSubscribed: { log.append("subscribed") },
          onDispose: { log.append("disposed") })
      }
      #expect(result == "1 |")
      #expect(recorded(kind, [1]) { s, _ in s.debug("shared \(Strategy.self)") } == "1 |")
      #expect(
        log.events == [
          "subscribe", "subscribed", "next 1", "after 1", "completed", "ended", "disposed",
        ])
    }
    check(kind)
  }

  @Test(arguments: kinds)
  func `withUnretained of a shared sequence does not retain its object`(
    kind: any SharingStrategyProtocol.Type
  ) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      var token: Token? = Token()
      weak let seen = token
      let elements = recorded(kind, [1, 2, 3]) { s, scheduler in
        let pairs = s.withUnretained(token ?? Token())
        let numbers = s.withUnretained(token ?? Token()) { $1 * 10 }
        scheduler.scheduleAt(215) {
          token = nil
          #expect(seen == nil)
        }
        return SharedSequence<Strategy, Int>.merge(pairs.map { $1 }, numbers)
      }
      #expect(elements == "1 10 |")
    }
    check(kind)
  }

  @Test(arguments: kinds)
  func `operators on drivers and signals share their work, and on infallibles they do not`(
    kind: any SharingStrategyProtocol.Type
  ) {
    func check<Strategy: SharingStrategyProtocol>(_ kind: Strategy.Type) {
      let log = EventRecorder<Int>()
      _ = mocked { scheduler in
        let mapped = scheduler.createHotObservable([.next(210, 1)]).asSharedSequence(
          sharingStrategy: kind, onErrorJustReturn: 0
        ).map { element in
          log.append(element)
          return element
        }
        return SharedSequence<Strategy, Int>.merge(mapped, mapped)
      }
      #expect(log.count == (kind == InfallibleStrategy.self ? 2 : 1))
    }
    check(kind)
  }
}

extension Int { fileprivate var isOdd: Bool { self % 2 == 1 } }
