import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct SerialGateTests {
  @Test func `a gate runs every body of eight threads, one at a time`() {
    let gate = SerialGate()
    let inside = Atomic(0)
    let overlaps = Atomic(0)
    let count = Ref(0)
    let step = UncheckedSendable(
      gate.guarded { (_: Void) in
        if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
        count.value += 1
        inside.subtract(1, ordering: .relaxed)
      }
    )
    onThreads(8) { _ in for _ in 0..<10_000 { step.value(()) } }
    #expect(overlaps.load(ordering: .relaxed) == 0)
    #expect(count.value == 80_000)
  }

  @Test func `a gate runs the bodies of each thread in order`() {
    let gate = SerialGate()
    let received = Ref<[[Int]]>([[], [], []])
    let step = UncheckedSendable(
      gate.guarded { (entry: (Int, Int)) in received.value[entry.0].append(entry.1) }
    )
    onThreads(3) { index in for number in 0..<20_000 { step.value((index, number)) } }
    #expect(received.value.allSatisfy { $0 == Array(0..<20_000) })
  }

  @Test func `a gate runs nested bodies of one thread depth first`() {
    let gate = SerialGate()
    let log = EventRecorder<String>()
    let again = Ref<(Int) -> Void>({ _ in })
    again.value = gate.guarded { depth in
      log.append("+\(depth)")
      if depth < 2 { again.value(depth + 1) }
      log.append("-\(depth)")
    }
    again.value(0)
    #expect(log.events == ["+0", "+1", "+2", "-2", "-1", "-0"])
    again.value = { _ in }
  }

  @Test func `a thread inside a gate runs the bodies of other threads before it leaves`() {
    let gate = SerialGate()
    let log = EventRecorder<String>()
    let enter = Ref<(String) -> Void>({ _ in })
    enter.value = gate.guarded { name in
      log.append("+\(name)")
      if name == "first" {
        let other = UncheckedSendable(enter.value)
        onAnotherThread { other.value("second") }
      }
      log.append("-\(name)")
    }
    enter.value("first")
    #expect(log.events == ["+first", "-first", "+second", "-second"])
    enter.value = { _ in }
  }

  @Test func `a gate runs all nested bodies of four threads`() {
    let gate = SerialGate()
    let count = Ref(0)
    let again = Ref<(Int) -> Void>({ _ in })
    again.value = gate.guarded { depth in
      count.value += 1
      if depth > 0 { again.value(depth - 1) }
    }
    let step = UncheckedSendable(again.value)
    onThreads(4) { _ in for _ in 0..<5_000 { step.value(3) } }
    #expect(count.value == 4 * 5_000 * 4)
    again.value = { _ in }
  }

  // MARK: Handover

  @Test func `a gate hands the queue to another thread when senders do not stop`() {
    let gate = SerialGate()
    let step = UncheckedSendable(
      gate.guarded { (_: Void) in
        // Slower than sending.
        for _ in 0..<200 { _ = threadIdentity() }
      }
    )
    let isSending = Atomic(false)
    let isBack = Atomic(false)
    let limit = 1_000_000
    let sent = Atomic(0)
    onThreads(3) { index in
      if index > 0 {
        while sent.add(1, ordering: .relaxed).newValue < limit, !isBack.load(ordering: .relaxed) {
          step.value(())
          isSending.store(true, ordering: .relaxed)
        }
      } else {
        while !isSending.load(ordering: .relaxed) {}
        // The other threads send until this thread has finished.
        for _ in 0..<10 { step.value(()) }
        isBack.store(true, ordering: .relaxed)
      }
    }
    #expect(sent.load(ordering: .relaxed) < limit)
  }

  @Test func `a thread that has drained a gate for a millisecond stops after each body`() {
    var time = DrainTime(start: 0)
    let parts = (1...7).map { _ in
      time.note(now: 1_000)
      return time.part
    }
    #expect(parts == [2, 4, 8, 16, 32, 32, 32] && !time.isUsedUp)
    time.note(now: 1_000_000)
    #expect(time.part == 1 && time.isUsedUp)
    time.note(now: 1_000_000)
    #expect(time.part == 1)
  }

  @Test func `a sender to a full gate waits for a limited time`() {
    let gate = SerialGate()
    let received = Ref<[Int]>([])
    let enter = Ref<(Int) -> Void>({ _ in })
    enter.value = gate.guarded { number in
      received.value.append(number)
      guard number == 0 else { return }
      let other = UncheckedSendable(enter.value)
      // The gate's thread waits for a thread that sends more than the gate has room for.
      onAnotherThread { for number in 1...300 { other.value(number) } }
      received.value.append(-1)
    }
    enter.value(0)
    #expect(received.value == [0, -1] + Array(1...300))
    enter.value = { _ in }
  }

  @Test func `a gate keeps the order of queued batches when another thread takes over`() {
    let sources = (0..<3).map { _ in PublishSubject<Int>() }
    let received = UncheckedSendable(Ref<[[Int]]>([[], [], []]))
    let overlaps = Atomic(0)
    let inside = Atomic(0)
    let merged = Observable.merge(
      sources.enumerated().map { index, source in source.map { (index, $0) } })
    let subscription = merged.subscribe(onNext: { index, number in
      if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
      received.value.value[index].append(number)
      for _ in 0..<100 { _ = threadIdentity() }
      inside.subtract(1, ordering: .relaxed)
    })
    onThreads(3) { index in for number in 0..<20_000 { sources[index].onNext(number) } }
    #expect(received.value.value.allSatisfy { $0 == Array(0..<20_000) })
    #expect(overlaps.load(ordering: .relaxed) == 0)
    subscription.dispose()
  }
}
