import Reactive
import ReactiveTesting
import TestSupport
import Testing

/// Elements whose `deinit` sends: an operator releases a replaced element after it has stored the
/// next one.
@Suite("Elements that send when they are released", .workerPool)
struct ElementDeinitTests {
  private final class Session: Sendable, Equatable {
    let number: Int
    private let atDeinit: @Sendable () -> Void

    init(_ number: Int, atDeinit: @escaping @Sendable () -> Void) {
      self.number = number
      self.atDeinit = atDeinit
    }

    deinit { atDeinit() }

    static func == (first: Session, second: Session) -> Bool { first.number == second.number }
  }

  private struct Kept: Sendable, CustomStringConvertible {
    let name: String
    let apply: @Sendable (PublishSubject<Session>, TestScheduler) -> Observable<Session>

    init(
      _ name: String,
      _ apply: @escaping @Sendable (PublishSubject<Session>, TestScheduler) -> Observable<Session>
    ) {
      self.name = name
      self.apply = apply
    }

    var description: String { name }
  }

  private static let operators = [
    Kept("sample") { source, _ in source.sample(PublishSubject<Int>()) },
    Kept("debounce") { $0.debounce(.seconds(1), scheduler: $1) },
    Kept("throttle") { $0.throttle(.seconds(1), scheduler: $1) },
    Kept("withLatestFrom") { source, _ in PublishSubject<Int>().withLatestFrom(source) },
    Kept("distinctUntilChanged") { source, _ in source.distinctUntilChanged { $0 == $1 } },
    Kept("distinctUntilChanged by a key") { source, _ in source.distinctUntilChanged { $0 } },
    Kept("scan") { source, _ in source.scan(Session(0) {}) { $1 } },
    Kept("reduce") { source, _ in source.reduce(Session(0) {}) { $1 } },
    Kept("combineLatest") { source, _ in Observable.combineLatest(source, source) { $1 } },
    Kept("share(replay: 1)") { source, _ in source.share(replay: 1) },
    Kept("takeLast") { source, _ in source.takeLast(1) },
    Kept("buffer") { source, scheduler in
      source.buffer(timeSpan: .seconds(1), count: 2, scheduler: scheduler).compactMap(\.first)
    },
  ]

  @Test(arguments: operators) private func `a replaced element can send to the source`(
    kept: Kept
  ) {
    let source = PublishSubject<Session>()
    let scheduler = TestScheduler(initialClock: 0)
    let (sent, received) = (EventRecorder<Int>(), EventRecorder<Int>())
    let subscription = kept.apply(source, scheduler).subscribe(onNext: {
      received.append($0.number)
    })
    for number in 1...5 {
      source.onNext(
        Session(number) {
          sent.append(number)
          source.onNext(Session(-number) {})
        })
    }
    scheduler.advanceTo(10)
    subscription.dispose()
    source.onCompleted()
    #expect(sent.events.sorted() == [1, 2, 3, 4, 5])
    #expect(received.events.allSatisfy { (-5...5).contains($0) })
  }

  @Test func `sample does not emit the element that it is releasing`() {
    let (sessions, closed) = (PublishSubject<Session>(), PublishSubject<Void>())
    let received = EventRecorder<Int>()
    let subscription = sessions.sample(closed).subscribe(onNext: { received.append($0.number) })
    for number in 1...3 { sessions.onNext(Session(number) { closed.onNext(()) }) }
    #expect(received.events == [2])
    subscription.dispose()
  }
}
