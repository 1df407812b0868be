import Reactive
import Synchronization
import Testing

@Suite struct LifetimeTests {
  @Test func `lets go of everything in the order it was taken in`() {
    let log = Log<Int>()
    let lifetime = Lifetime()
    for number in 1...4 { lifetime.add(Disposables.create { log.append(number) }) }
    lifetime.dispose()
    lifetime.dispose()
    #expect(log.entries == [1, 2, 3, 4])
    lifetime.add(Disposables.create { log.append(5) })
    #expect(log.entries == [1, 2, 3, 4, 5])
  }

  @Test func `a child ends with its parent or before`() {
    let parent = Lifetime()
    let log = Log<String>()
    parent.withChild { child in
      child.add(Disposables.create { log.append("first") })
      child.dispose()
    }
    parent.withChild { $0.add(Disposables.create { log.append("second") }) }
    #expect(log.entries == ["first"])
    let child = Lifetime(parent: parent)
    #expect(!child.isDisposed)
    parent.dispose()
    #expect(child.isDisposed)
    #expect(!child.isClosed)
    #expect(log.entries == ["first", "second"])
  }

  @Test func `children that have ended are released`() {
    let parent = Lifetime()
    for _ in 0..<3 {
      weak var seen: Lifetime?
      do {
        let child = Lifetime(parent: parent)
        seen = child
        parent.adopt(child)
        parent.adopt(Lifetime(parent: parent))
        child.dispose()
      }
      #expect(seen == nil)
    }
  }

  @Test func `disposal and taking in race to the same end`() {
    let disposals = Atomic(0)
    for _ in 0..<2_000 {
      let lifetime = Lifetime()
      onThreadsOnce(lifetime, disposals)
    }
    #expect(disposals.load(ordering: .relaxed) == 2_000 * 2)
  }

  private func onThreadsOnce(_ lifetime: Lifetime, _ disposals: borrowing Atomic<Int>) {
    let count = Locked(0)
    onThreads(2) { index in
      if index == 0 {
        for _ in 0..<2 { lifetime.add(Disposables.create { count.withLock { $0 += 1 } }) }
      } else {
        lifetime.dispose()
      }
    }
    disposals.add(count.withLock { $0 }, ordering: .relaxed)
  }

  @Test func `slots count what is alive`() {
    let slots = Slots()
    let lifetimes = (0..<100).map { _ in Lifetime() }
    lifetimes.forEach { slots.insert($0) }
    #expect(slots.count == 100)
    lifetimes.prefix(60).forEach { $0.dispose() }
    #expect(slots.count == 40)
    lifetimes.forEach { $0.dispose() }
    #expect(slots.count == 0)
    slots.insert(Lifetime())
    #expect(slots.count == 1)
    slots.dispose()
    let late = Lifetime()
    slots.insert(late)
    #expect(late.isDisposed)
  }
}
