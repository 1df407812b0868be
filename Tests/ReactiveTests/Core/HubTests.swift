import Foundation
import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct HubTests {
  @Test func `observers hear elements in the order they came`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let bag = DisposeBag()
    for name in ["a", "b", "c"] { subject.write(to: log, name).disposed(by: bag) }
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == ["a1", "b1", "c1", "a2", "b2", "c2"])
  }

  @Test func `an observer disposed of by one before it hears nothing more`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let second = SerialDisposable()
    let bag = DisposeBag()
    subject.subscribe(onNext: { if $0 == 2 { second.dispose() } }).disposed(by: bag)
    second.disposable = subject.write(to: log, "b")
    subject.write(to: log, "c").disposed(by: bag)
    subject.onNext(1)
    subject.onNext(2)
    subject.onNext(3)
    #expect(log.entries == ["b1", "c1", "c2", "c3"])
  }

  @Test func `observers that come and go at the end leave no holes`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    for round in 0..<100 {
      let first = subject.write(to: log, "a")
      let second = subject.write(to: log, "b")
      subject.onNext(round)
      if round.isMultiple(of: 2) { first.dispose() } else { second.dispose() }
      #expect(subject.hasObservers)
      second.dispose()
      first.dispose()
      #expect(!subject.hasObservers)
    }
    #expect(log.entries == (0..<100).flatMap { ["a\($0)", "b\($0)"] })
  }

  @Test func `an observer that goes during an emission and one that comes keep their order`() {
    let subject = PublishSubject<Int>()
    let (log, bag, going) = (Log<String>(), DisposeBag(), SerialDisposable())
    going.disposable = subject.subscribe(onNext: { element in
      log.append("first\(element)")
      going.dispose()
      subject.write(to: log, "second").disposed(by: bag)
    })
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == ["first1", "second2"])
  }

  @Test func `an observer whose lifetime is over hears nothing while it is let go of`() {
    let (hub, log) = (Hub<Int>(), Log<Int>())
    let lifetime = Lifetime()
    lifetime.add(ActionDisposable { hub.next(2) })
    #expect(hub.add(Observer(lifetime, next: { log.append($0) }, end: { _ in })))
    hub.next(1)
    lifetime.dispose()
    hub.next(3)
    #expect(log.entries == [1])
  }

  @Test func `what an observer was made of does nothing once it is disposed of`() {
    let subject = PublishSubject<Int>()
    let log = Log<Int>()
    let second = SerialDisposable()
    let first = subject.subscribe(onNext: { if $0 == 2 { second.dispose() } })
    second.disposable = subject.do(onNext: { log.append($0) }).subscribe()
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == [1])
    first.dispose()
  }

  @Test func `an observer that disposes of itself leaves the others undisturbed`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
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
    #expect(log.entries == ["a1", "b1", "c1", "d1", "a2", "d2"])
  }

  @Test func `an observer that comes during an emission hears the next one`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let bag = DisposeBag()
    let hasCome = Atomic(false)
    subject.subscribe(onNext: { _ in
      if !hasCome.exchange(true, ordering: .relaxed) {
        subject.write(to: log, "late").disposed(by: bag)
      }
    })
    .disposed(by: bag)
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == ["late2"])
  }

  @Test func `sending from within an observer is nested and depth first`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let bag = DisposeBag()
    subject.subscribe(onNext: {
      log.append("a\($0)")
      if $0 < 3 { subject.onNext($0 + 1) }
    })
    .disposed(by: bag)
    subject.write(to: log, "b").disposed(by: bag)
    subject.onNext(1)
    #expect(log.entries == ["a1", "a2", "a3", "b3", "b2", "b1"])
  }

  @Test func `the end is told to all and reaches late observers`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let bag = DisposeBag()
    for name in ["a", "b"] { subject.write(to: log, name).disposed(by: bag) }
    subject.onCompleted()
    subject.onCompleted()
    subject.onError(TestError.any)
    subject.onNext(1)
    subject.write(to: log, "c").disposed(by: bag)
    #expect(log.entries == ["a|", "b|", "c|"])
    #expect(!subject.hasObservers)
    #expect(bag.count == 0)
  }

  @Test func `an observer disposed of while the end is told does not hear it`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let second = SerialDisposable()
    let first = subject.subscribe(onCompleted: { second.dispose() })
    second.disposable = subject.write(to: log)
    subject.onCompleted()
    #expect(log.entries.isEmpty)
    first.dispose()
  }

  @Test func `a source ended in the middle of the end being told ends once`() {
    // `take(until:)` ends before its source's own end arrives; a second end would be counted twice
    // by `flatMap`, which then would not wait for the last of its observables.
    let (source, stop, inner) = (
      PublishSubject<Int>(), PublishSubject<Void>(), PublishSubject<Int>()
    )
    let log = Log<String>()
    let bag = DisposeBag()
    source.subscribe(onCompleted: { stop.onNext(()) }).disposed(by: bag)
    source.take(until: stop).flatMap { _ in inner }.write(to: log).disposed(by: bag)
    source.onNext(1)
    source.onCompleted()
    #expect(log.entries.isEmpty)
    inner.onNext(7)
    inner.onCompleted()
    #expect(log.entries == ["7", "|"])
  }

  @Test func `hundreds of observers come and go during nested emissions`() {
    let subject = PublishSubject<Int>()
    let heard = Log<Int>()
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
      own.disposable = subject.subscribe(onNext: { if $0 == 0 { heard.append(name) } })
      mirror.withLock { $0[name] = own }
    }
    @Sendable func depart() {
      let one = mirror.withLock { mirror in
        mirror.isEmpty
          ? nil : mirror.remove(at: mirror.index(mirror.startIndex, offsetBy: draw(mirror.count)))
      }
      one?.value.dispose()
    }
    // The first observer changes the crowd in the middle of emissions, three deep.
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
      let before = heard.count
      subject.onNext(0)
      let present = mirror.withLock { $0.keys.sorted() }
      #expect(Array(heard.entries[before...]) == present)
    }
    mirror.withLock { $0.values.map { $0 } }.forEach { $0.dispose() }
    #expect(subject.hasObservers)
  }

  @Test func `observers come and go on some threads while others emit`() {
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
            // Giving way in the middle of an emission lets the others change the list there.
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

  @Test func `what an observer captured is released when it is disposed of`() {
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

  @Test func `observers of a subject that nobody holds any more are released`() {
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

  @Test func `observers of a disposed subject are released`() {
    let subject = BehaviorSubject(value: 1)
    #expect(
      isReleased { token in
        _ = subject.map { $0 }.subscribe(onNext: { _ in token.hold() })
        subject.dispose()
      })
  }

  @Test func `an emission reaches all its observers though one disposes of the subject`() {
    let subject = PublishSubject<Int>()
    let (log, bag) = (Log<Int>(), DisposeBag())
    subject.subscribe(onNext: { _ in subject.dispose() }).disposed(by: bag)
    subject.subscribe(onNext: { log.append($0) }).disposed(by: bag)
    subject.onNext(1)
    subject.onNext(2)
    #expect(log.entries == [1])
  }

  @Test func `what left during an emission is released after it`() {
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

  @Test func `what one long emission left behind is released without a deep stack`() {
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

  @Test func `a disposed hub tells newcomers so`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    let subscription = subject.write(to: log)
    subject.dispose()
    subject.onNext(1)
    #expect(log.entries.isEmpty)
    #expect(subject.isDisposed)
    let error = Log<any Error>()
    _ = subject.subscribe(onError: { error.append($0) })
    guard case RxError.disposed? = error.entries.first as? RxError else {
      Issue.record("expected RxError.disposed")
      return
    }
    subscription.dispose()
  }
}
