import Foundation
import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct ObserverHubTests {
  @Test func `a subject delivers to its observers in the order of subscription`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    for name in ["a", "b", "c"] { subject.record(in: log, name).disposed(by: bag) }
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.events == ["a1", "b1", "c1", "a2", "b2", "c2"])
  }

  @Test func `an observer disposed of by an earlier observer receives no later element`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let second = SerialDisposable()
    let bag = DisposeBag()
    subject.subscribe(onNext: { if $0 == 2 { second.dispose() } }).disposed(by: bag)
    second.disposable = subject.record(in: log, "b")
    subject.record(in: log, "c").disposed(by: bag)
    subject.onNext(1)
    subject.onNext(2)
    subject.onNext(3)
    #expect(log.events == ["b1", "c1", "c2", "c3"])
  }

  @Test
  func `a subject delivers in order while observers at the end of its list are added and removed`()
  {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    for round in 0..<100 {
      let first = subject.record(in: log, "a")
      let second = subject.record(in: log, "b")
      subject.onNext(round)
      if round.isMultiple(of: 2) { first.dispose() } else { second.dispose() }
      #expect(subject.hasObservers)
      second.dispose()
      first.dispose()
      #expect(!subject.hasObservers)
    }
    #expect(log.events == (0..<100).flatMap { ["a\($0)", "b\($0)"] })
  }

  @Test
  func
    `a subject replaces an observer during an emission and delivers the next element to the new one`()
  {
    let subject = PublishSubject<Int>()
    let (log, bag, going) = (EventRecorder<String>(), DisposeBag(), SerialDisposable())
    going.disposable = subject.subscribe(onNext: { element in
      log.append("first\(element)")
      going.dispose()
      subject.record(in: log, "second").disposed(by: bag)
    })
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.events == ["first1", "second2"])
  }

  @Test func `a hub delivers nothing to an observer whose lifetime is being disposed of`() {
    let (hub, log) = (ObserverHub<Int>(), EventRecorder<Int>())
    let lifetime = Lifetime()
    lifetime.add(ActionDisposable { hub.next(2) })
    #expect(hub.add(Observer(lifetime, next: { log.append($0) }, end: { _ in })))
    hub.next(1)
    lifetime.dispose()
    hub.next(3)
    #expect(log.events == [1])
  }

  @Test func `the operators of an observer do not run after its disposal during an emission`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<Int>()
    let second = SerialDisposable()
    let first = subject.subscribe(onNext: { if $0 == 2 { second.dispose() } })
    second.disposable = subject.do(onNext: { log.append($0) }).subscribe()
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.events == [1])
    first.dispose()
  }

  @Test func `an observer that disposes of itself does not affect the other observers`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    for name in ["a", "b", "c", "d"] {
      let own = SerialDisposable()
      own.disposable = subject.subscribe(onNext: {
        log.append("\(name)\($0)")
        if name == "b" || name == "c" { own.dispose() }
      })
      bag.insert(own)
    }
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.events == ["a1", "b1", "c1", "d1", "a2", "d2"])
  }

  @Test func `an observer added during an emission receives the next element`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    let hasCome = Atomic(false)
    subject.subscribe(onNext: { _ in
      if !hasCome.exchange(true, ordering: .relaxed) {
        subject.record(in: log, "late").disposed(by: bag)
      }
    })
    .disposed(by: bag)
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.events == ["late2"])
  }

  @Test func `a subject delivers nested sends depth first`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    subject.subscribe(onNext: {
      log.append("a\($0)")
      if $0 < 3 { subject.onNext($0 + 1) }
    })
    .disposed(by: bag)
    subject.record(in: log, "b").disposed(by: bag)
    subject.onNext(1)
    #expect(log.events == ["a1", "a2", "a3", "b3", "b2", "b1"])
  }

  @Test func `a subject delivers its end to all observers and to later ones`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    for name in ["a", "b"] { subject.record(in: log, name).disposed(by: bag) }
    subject.onCompleted()
    subject.onCompleted()
    subject.onError(TestError.any)
    subject.onNext(1)
    subject.record(in: log, "c").disposed(by: bag)
    #expect(log.events == ["a|", "b|", "c|"])
    #expect(!subject.hasObservers)
    #expect(bag.count == 0)
  }

  @Test func `an observer disposed of while a subject delivers its end does not receive it`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let second = SerialDisposable()
    let first = subject.subscribe(onCompleted: { second.dispose() })
    second.disposable = subject.record(in: log)
    subject.onCompleted()
    #expect(log.events.isEmpty)
    first.dispose()
  }

  @Test func `take(until:) ends once when its source's end triggers its notifier`() {
    // `take(until:)` ends before its source's own end arrives; a second end would be counted twice
    // by `flatMap`, which then would not wait for the last of its observables.
    let (source, stop, inner) = (
      PublishSubject<Int>(), PublishSubject<Void>(), PublishSubject<Int>()
    )
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    source.subscribe(onCompleted: { stop.onNext(()) }).disposed(by: bag)
    source.take(until: stop).flatMap { _ in inner }.record(in: log).disposed(by: bag)
    source.onNext(1)
    source.onCompleted()
    #expect(log.events.isEmpty)
    inner.onNext(7)
    inner.onCompleted()
    #expect(log.events == ["7", "|"])
  }

  @Test
  func `a subject delivers to the current observers after hundreds change during nested emissions`()
  {
    let subject = PublishSubject<Int>()
    let received = EventRecorder<Int>()
    let mirror = Locked<[Int: SerialDisposable]>([:])
    let bag = DisposeBag()
    let random = Locked<UInt64>(42)
    @Sendable func draw(_ limit: Int) -> Int {
      random.withLock {
        $0 = $0 &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int($0 >> 33) % limit
      }
    }
    let names = Atomic(0)
    @Sendable func arrive() {
      let name = names.add(1, ordering: .relaxed).newValue
      let own = SerialDisposable()
      own.disposable = subject.subscribe(onNext: { if $0 == 0 { received.append(name) } })
      mirror.withLock { $0[name] = own }
    }
    @Sendable func depart() {
      let one = mirror.withLock { mirror in
        mirror.isEmpty
          ? nil : mirror.remove(at: mirror.index(mirror.startIndex, offsetBy: draw(mirror.count)))
      }
      one?.value.dispose()
    }
    // The first observer adds and removes observers during nested emissions of three levels.
    subject.subscribe(onNext: { depth in
      guard depth > 0 else { return }
      for _ in 0..<draw(40) { arrive() }
      for _ in 0..<draw(40) { depart() }
      if depth < 3 { subject.onNext(depth + 1) }
      for _ in 0..<draw(20) { depart() }
    })
    .disposed(by: bag)
    for round in 0..<200 {
      subject.onNext(1)
      if round % 20 == 19 { while mirror.withLock({ $0.count }) > 2 { depart() } }
      let before = received.count
      subject.onNext(0)
      let present = mirror.withLock { $0.keys.sorted() }
      #expect(Array(received.events[before...]) == present)
    }
    mirror.withLock { $0.values.map { $0 } }.forEach { $0.dispose() }
    #expect(subject.hasObservers)
  }

  @Test
  func
    `a subject delivers every element to a constant observer while other threads add and remove observers`()
  {
    let subject = PublishSubject<Int>()
    let stays = Atomic(0)
    let keeper = subject.subscribe(onNext: { _ in stays.add(1, ordering: .relaxed) })
    onThreads(12) { index in
      if index < 6 {
        for element in 0..<2_000 { subject.onNext(element) }
      } else {
        for _ in 0..<100 {
          let held = (0..<40).map { _ in
            let token = Token()
            // Yielding during an emission lets the other threads change the list.
            return subject.subscribe(onNext: {
              if $0 % 16 == 0 { sched_yield() }
              token.hold()
            })
          }
          held.forEach { $0.dispose() }
        }
      }
    }
    #expect(stays.load(ordering: .relaxed) == 12_000)
    keeper.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func `a subject releases a disposed or ended observer`() {
    let subject = PublishSubject<Int>()
    #expect(
      isReleased { token in
        let subscription = subject.subscribe(onNext: { _ in token.hold() })
        subject.onNext(1)
        subscription.dispose()
      }
    )
    #expect(
      isReleased { token in
        _ = subject.subscribe(onNext: { _ in token.hold() })
        subject.onCompleted()
      }
    )
  }

  @Test func `a released subject or relay releases its observers`() {
    #expect(
      isReleased { token in
        _ = PublishSubject<Int>().map { $0 }.subscribe(onNext: { _ in token.hold() })
      })
    #expect(
      isReleased { token in
        _ = BehaviorSubject(value: 1).map { $0 }.subscribe(onNext: { _ in token.hold() })
      })
    #expect(
      isReleased { token in
        var relay: PublishRelay? = PublishRelay<Int>()
        _ = relay?.map { $0 }.subscribe(onNext: { _ in token.hold() })
        relay = nil
      })
  }

  @Test func `a disposed subject releases its observers`() {
    let subject = BehaviorSubject(value: 1)
    #expect(
      isReleased { token in
        _ = subject.map { $0 }.subscribe(onNext: { _ in token.hold() })
        subject.dispose()
      })
  }

  @Test func `an emission reaches all observers when one disposes of the subject`() {
    let subject = PublishSubject<Int>()
    let (log, bag) = (EventRecorder<Int>(), DisposeBag())
    subject.subscribe(onNext: { _ in subject.dispose() }).disposed(by: bag)
    subject.subscribe(onNext: { log.append($0) }).disposed(by: bag)
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.events == [1])
  }

  @Test func `an observer removed during an emission is released after it`() {
    let subject = PublishSubject<Int>()
    let own = SerialDisposable()
    let other = subject.subscribe()
    #expect(
      isReleased { token in
        own.disposable = subject.subscribe(onNext: { _ in
          token.hold()
          own.dispose()
        })
        subject.onNext(1)
      }
    )
    other.dispose()
  }

  @Test func `observers removed during one emission are released without recursion`() {
    let subject = PublishSubject<Int>()
    let keeper = subject.subscribe()
    let subscription = subject.subscribe(onNext: { rounds in
      for _ in 0..<rounds {
        let guest = subject.subscribe()
        subject.onNext(0)
        guest.dispose()
      }
    })
    subject.onNext(50_000)
    subscription.dispose()
    keeper.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func `a disposed subject sends RxError.disposed to new observers`() {
    let subject = PublishSubject<Int>()
    let log = EventRecorder<String>()
    let subscription = subject.record(in: log)
    subject.dispose()
    subject.onNext(1)
    #expect(log.events.isEmpty)
    #expect(subject.isDisposed)
    let error = EventRecorder<any Error>()
    _ = subject.subscribe(onError: { error.append($0) })
    guard case RxError.disposed? = error.events.first as? RxError else {
      Issue.record("expected RxError.disposed")
      return
    }
    subscription.dispose()
  }
}
