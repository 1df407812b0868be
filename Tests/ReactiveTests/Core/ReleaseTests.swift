import Dispatch
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite("Release of captured objects", .workerPool)
struct ReleaseTests {
  private final class Owner: Sendable {
    let subscription = Locked<(any Disposable)?>(nil)
    func received(_ element: Int) {}
  }

  @Test func `a retained disposed subscription releases the objects that its closures captured`() {
    let subject = PublishSubject<Int>()
    weak var released: Owner?
    do {
      let owner = Owner()
      released = owner
      let subscription = subject.subscribe(onNext: { owner.received($0) })
      owner.subscription.withLock { $0 = subscription }
      subscription.dispose()
    }
    #expect(released == nil)
  }

  @Test func `a retained ended subscription releases the objects that its closures captured`() {
    let subject = PublishSubject<Int>()
    weak var released: Owner?
    do {
      let owner = Owner()
      released = owner
      let subscription = subject.subscribe(
        onNext: { owner.received($0) },
        onCompleted: { owner.received(0) },
        onDisposed: { owner.received(0) }
      )
      owner.subscription.withLock { $0 = subscription }
      subject.onCompleted()
    }
    #expect(released == nil)
  }

  @Test func `subjects and relays without references release their observers`() {
    weak var released: Owner?
    do {
      let owner = Owner()
      released = owner
      let (publish, behavior) = (PublishSubject<Int>(), BehaviorSubject(value: 0))
      let (relay, state) = (PublishRelay<Int>(), BehaviorRelay(value: 0))
      _ = publish.subscribe(onNext: { owner.received($0) })
      _ = behavior.subscribe(onNext: { owner.received($0) })
      _ = relay.asObservable().subscribe(onNext: { owner.received($0) })
      _ = state.asObservable().subscribe(onNext: { owner.received($0) })
    }
    #expect(released == nil)
  }

  // The list of the contract, section "Release".
  @Test func `subscriptions through operators of one lifetime are released with the subject`() {
    let token = Token()
    let chains: [@Sendable (Observable<Int>) -> Observable<Int>] = [
      { $0.map { $0 } }, { $0.compactMap { $0 } }, { $0.filter { _ in true } },
      { $0.enumerated().map { $0.element } }, { $0.distinctUntilChanged() },
      { $0.distinctUntilChanged { $0 / 2 } }, { $0.scan(0) { $0 + $1 } },
      { $0.scan(into: 0) { $0 += $1 } }, { $0.do(onNext: { _ in }, onDispose: {}) },
      { $0.take(9) }, { $0.take(while: { $0 < 9 }) }, { $0.skip(1) },
      { $0.skip(while: { $0 < 1 }) },
      { $0.startWith(1) }, { $0.withUnretained(token).map { $1 } },
      { $0.map { Event.next($0) }.dematerialize() },
      { source in Observable.create { source.subscribe($0) } },
    ]
    for (index, chain) in chains.enumerated() {
      weak var subscription: AnyObject?
      let isOwnerReleased = isReleased { owner in
        let subject = PublishSubject<Int>()
        subscription = chain(subject).subscribe(onNext: { _ in owner.hold() }) as AnyObject
        subject.onNext(1)
      }
      #expect(isOwnerReleased && subscription == nil, "chain \(index)")
    }
  }
}

@Suite("Extreme intervals", .workerPool)
struct ExtremeTimeTests {
  @Test(arguments: [
    RxTimeInterval.never, .seconds(.max), .seconds(18_446_744_073), .seconds(9_300_000_000),
  ])
  func `a timer with an infinite due time or period neither traps nor fires`(
    interval: RxTimeInterval
  ) async {
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let ticks = Locked(0)
    let bag = DisposeBag()
    await withCheckedContinuation { continuation in
      Observable<Int>.timer(.milliseconds(1), period: interval, scheduler: scheduler)
        .subscribe(onNext: { _ in
          if ticks.withLock({
            $0 += 1; return $0
          }) == 1 {
            continuation.resume()
          }
        })
        .disposed(by: bag)
      Observable<Int>.timer(interval, scheduler: scheduler)
        .subscribe(onNext: { _ in ticks.withLock { $0 += 100 } })
        .disposed(by: bag)
    }
    await withCheckedContinuation { continuation in
      Observable<Int>.timer(.milliseconds(20), scheduler: scheduler)
        .subscribe(onNext: { _ in continuation.resume() })
        .disposed(by: bag)
    }
    #expect(ticks.withLock { $0 } == 1)
  }
}
