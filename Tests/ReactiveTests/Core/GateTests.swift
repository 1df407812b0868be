import Reactive
import Synchronization
import TestSupport
import Testing

@Suite(.workerPool) struct GateTests {
  @Test func `nobody waits and nothing is lost`() {
    let gate = Gate()
    let inside = Atomic(0)
    let overlaps = Atomic(0)
    let count = Ref(0)
    let step = Transferable(
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

  @Test func `each thread's bodies run in its order`() {
    let gate = Gate()
    let heard = Ref<[[Int]]>([[], [], []])
    let step = Transferable(
      gate.guarded { (entry: (Int, Int)) in heard.value[entry.0].append(entry.1) }
    )
    onThreads(3) { index in for number in 0..<20_000 { step.value((index, number)) } }
    #expect(heard.value.allSatisfy { $0 == Array(0..<20_000) })
  }

  @Test func `on the same thread it is nested and depth first`() {
    let gate = Gate()
    let log = Log<String>()
    let again = Ref<(Int) -> Void>({ _ in })
    again.value = gate.guarded { depth in
      log.append("+\(depth)")
      if depth < 2 { again.value(depth + 1) }
      log.append("-\(depth)")
    }
    again.value(0)
    #expect(log.entries == ["+0", "+1", "+2", "-2", "-1", "-0"])
    again.value = { _ in }
  }

  @Test func `what another thread brings runs before the thread inside leaves`() {
    let gate = Gate()
    let log = Log<String>()
    let enter = Ref<(String) -> Void>({ _ in })
    enter.value = gate.guarded { name in
      log.append("+\(name)")
      if name == "first" {
        let other = Transferable(enter.value)
        onAnotherThread { other.value("second") }
      }
      log.append("-\(name)")
    }
    enter.value("first")
    #expect(log.entries == ["+first", "-first", "+second", "-second"])
    enter.value = { _ in }
  }

  @Test func `nested bodies and other threads do not lose each other`() {
    let gate = Gate()
    let count = Ref(0)
    let again = Ref<(Int) -> Void>({ _ in })
    again.value = gate.guarded { depth in
      count.value += 1
      if depth > 0 { again.value(depth - 1) }
    }
    let step = Transferable(again.value)
    onThreads(4) { _ in for _ in 0..<5_000 { step.value(3) } }
    #expect(count.value == 4 * 5_000 * 4)
    again.value = { _ in }
  }

  // MARK: Turns

  @Test func `a thread that works for others is relieved by one of them, however much these send`()
  {
    let gate = Gate()
    let step = Transferable(
      gate.guarded { (_: Void) in
        // Slower than to send.
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
        // In the crowd of the others, who send as long as it is there.
        for _ in 0..<10 { step.value(()) }
        isBack.store(true, ordering: .relaxed)
      }
    }
    #expect(sent.load(ordering: .relaxed) < limit)
  }

  @Test func `who sends to a crowded gate waits for room, but not for ever`() {
    let gate = Gate()
    let heard = Ref<[Int]>([])
    let enter = Ref<(Int) -> Void>({ _ in })
    enter.value = gate.guarded { number in
      heard.value.append(number)
      guard number == 0 else { return }
      let other = Transferable(enter.value)
      // It waits for a thread that sends more than has room.
      onAnotherThread { for number in 1...300 { other.value(number) } }
      heard.value.append(-1)
    }
    enter.value(0)
    #expect(heard.value == [0, -1] + Array(1...300))
    enter.value = { _ in }
  }

  @Test func `elements that wait as a number of them are in order when the gate is handed over`() {
    let sources = (0..<3).map { _ in PublishSubject<Int>() }
    let heard = Transferable(Ref<[[Int]]>([[], [], []]))
    let overlaps = Atomic(0)
    let inside = Atomic(0)
    let merged = Observable.merge(
      sources.enumerated().map { index, source in source.map { (index, $0) } })
    let subscription = merged.subscribe(onNext: { index, number in
      if inside.add(1, ordering: .relaxed).newValue != 1 { overlaps.add(1, ordering: .relaxed) }
      heard.value.value[index].append(number)
      for _ in 0..<100 { _ = threadIdentity() }
      inside.subtract(1, ordering: .relaxed)
    })
    onThreads(3) { index in for number in 0..<20_000 { sources[index].onNext(number) } }
    #expect(heard.value.value.allSatisfy { $0 == Array(0..<20_000) })
    #expect(overlaps.load(ordering: .relaxed) == 0)
    subscription.dispose()
  }
}
