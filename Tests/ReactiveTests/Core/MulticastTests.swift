import Dispatch
import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct MulticastTests {
  @Test func `a new observer of a replay subject receives the stored elements, then the next ones`()
  {
    let subject = ReplaySubject<Int>.create(bufferSize: 2)
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    for element in 1...3 { subject.onNext(element) }
    subject.record(in: log).disposed(by: bag)
    subject.onNext(4)
    #expect(log.events == ["2", "3", "4"])
  }

  @Test
  func `an observer that sends while it receives the last replayed element receives it nested`() {
    let relay = BehaviorRelay(value: 0)
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    relay.subscribe(onNext: {
      log.append("+\($0)")
      if $0 < 2 { relay.accept($0 + 1) }
      log.append("-\($0)")
    })
    .disposed(by: bag)
    #expect(log.events == ["+0", "+1", "+2", "-2", "-1", "-0"])
  }

  @Test func `an observer that sends during a replay receives the element after the replayed ones`()
  {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 1...3 { subject.onNext(element) }
    let log = EventRecorder<Int>()
    let subscription = subject.subscribe(onNext: {
      log.append($0)
      if $0 == 1 { subject.onNext(4) }
    })
    #expect(log.events == [1, 2, 3, 4])
    subject.onNext(5)
    #expect(log.events == [1, 2, 3, 4, 5])
    subscription.dispose()
  }

  @Test func `a replay delivers all stored elements before an end that is sent during it`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 1...3 { subject.onNext(element) }
    let log = EventRecorder<String>()
    _ = subject.do(onNext: { if $0 == 1 { subject.onCompleted() } }).record(in: log)
    #expect(log.events == ["1", "2", "3", "|"])
  }

  @Test func `disposal during a replay stops it`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 1...5 { subject.onNext(element) }
    #expect(subject.take(2).recorded() == "1 2 |")
    #expect(!subject.hasObservers)
  }

  @Test func `a relay delivers an element of another thread after the replayed value`() {
    let relay = BehaviorRelay(value: 0)
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    relay.subscribe(onNext: { element in
      log.append("+\(element)")
      if element == 0 { onAnotherThread { relay.accept(1) } }
      log.append("-\(element)")
    })
    .disposed(by: bag)
    #expect(log.events == ["+0", "-0", "+1", "-1"])
    relay.accept(2)
    #expect(log.events.suffix(2) == ["+2", "-2"])
  }

  @Test func `a relay delivers a nested element after a queued element of another thread`() {
    let relay = BehaviorRelay(value: 0)
    let log = EventRecorder<Int>()
    let bag = DisposeBag()
    relay.subscribe(onNext: { element in
      log.append(element)
      if element == 0 {
        onAnotherThread { relay.accept(1) }
        relay.accept(2)
      }
    })
    .disposed(by: bag)
    #expect(log.events == [0, 1, 2])
  }

  @Test
  func `new observers of a replay subject receive each element once and in order during sends`() {
    for _ in 0..<200 {
      let subject = ReplaySubject<Int>.createUnbounded()
      let logs = (0..<8).map { _ in EventRecorder<Int>() }
      onThreads(3) { index in
        if index == 0 {
          for element in 0..<500 { subject.onNext(element) }
        } else {
          for log in logs[((index - 1) * 4)..<(index * 4)] {
            _ = subject.subscribe(onNext: { log.append($0) })
          }
        }
      }
      for log in logs { #expect(log.events == Array(0..<500)) }
    }
  }

  @Test func `a new observer of a behavior relay receives a sequence without gaps during sends`() {
    for _ in 0..<300 {
      let relay = BehaviorRelay(value: 0)
      let log = EventRecorder<Int>()
      onThreads(2) { index in
        if index == 0 {
          for element in 1...300 { relay.accept(element) }
        } else {
          _ = relay.subscribe(onNext: { log.append($0) })
        }
      }
      let entries = log.events
      #expect(entries == Array((entries.first ?? 0)...300))
    }
  }

  @Test func `a replay subject of the maximum size reserves no memory`() {
    let subject = ReplaySubject<Int>.create(bufferSize: .max)
    subject.onNext(1)
    #expect(subject.take(1).recorded() == "1 |")
  }

  @Test func `a relay or subject releases replaced and discarded elements at once`() {
    let relay = BehaviorRelay<Token?>(value: nil)
    #expect(
      isReleased { token in
        relay.accept(token)
        relay.accept(nil)
      }
    )
    let subject = ReplaySubject<Token>.create(bufferSize: 3)
    #expect(
      isReleased { token in
        subject.onNext(token)
        subject.dispose()
      }
    )
  }

  @Test func `a relay does not deadlock when the deinit of its element sends`() {
    final class Sender: Sendable {
      let relay: BehaviorRelay<Sender?>
      init(_ relay: BehaviorRelay<Sender?>) { self.relay = relay }
      deinit { relay.accept(nil) }
    }
    let relay = BehaviorRelay<Sender?>(value: nil)
    relay.accept(Sender(relay))
    relay.accept(nil)
    #expect(relay.value == nil)
  }

  @Test func `a subscription to a relay returns although another thread sends without a pause`() {
    let relay = BehaviorRelay(value: 0)
    let isReplaying = Latch()
    let hasReturned = Atomic(false)
    let sent = Atomic(0)
    let limit = 100_000
    onThreads(2) { index in
      if index == 0 {
        isReplaying.wait()
        while sent.load(ordering: .relaxed) < limit, !hasReturned.load(ordering: .relaxed) {
          relay.accept(sent.add(1, ordering: .relaxed).newValue)
        }
      } else {
        _ = relay.subscribe(onNext: { element in
          if element == 0 { isReplaying.open() }
          // Slower than the sender.
          for _ in 0..<500 { _ = threadIdentity() }
        })
        hasReturned.store(true, ordering: .relaxed)
      }
    }
    #expect(sent.load(ordering: .relaxed) < limit)
  }

  @Test func `an observer of a relay slows its senders down while it replays`() {
    let relay = BehaviorRelay(value: 0)
    let log = EventRecorder<Int>()
    let sent = Atomic(0)
    let isOver = Atomic(false)
    let subscription = relay.subscribe(onNext: { element in
      log.append(element)
      guard element == 0 else { return }
      let sender = Latch()
      DispatchQueue.global().async {
        for element in 1...1_000 where !isOver.load(ordering: .relaxed) {
          relay.accept(element)
          sent.store(element, ordering: .relaxed)
        }
        sender.open()
      }
      // The sender waits for 10 ms for each element more.
      while sent.load(ordering: .relaxed) < 260 {}
      isOver.store(true, ordering: .relaxed)
      sender.wait()
      #expect(sent.load(ordering: .relaxed) < 1_000)
    })
    #expect(log.events == Array(0..<log.count))
    subscription.dispose()
  }

  @Test func `an observer of a relay may send many elements while it replays`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 0..<2 { subject.onNext(element) }
    let log = EventRecorder<Int>()
    let subscription = subject.subscribe(onNext: {
      log.append($0)
      if $0 == 0 { for element in 2..<1_000 { subject.onNext(element) } }
    })
    #expect(log.events == Array(0..<1_000))
    subscription.dispose()
  }
}
