import Foundation
@testable import Reactive
import Synchronization
import TestSupport
import Testing

/// A lifetime that records its release.
private final class ObservedLifetime: Lifetime, @unchecked Sendable {
  private let log: EventRecorder<String>
  private let name: String

  init(_ log: EventRecorder<String>, _ name: String) {
    (self.log, self.name) = (log, name)
    super.init()
    observeRelease()
  }

  override func didRelease() -> (() -> Void)? {
    { self.log.append("\(self.name) released") }
  }
}

@Suite(.workerPool) struct LifetimeTests {
  @Test func `a lifetime disposes of its members in the order of insertion`() {
    let log = EventRecorder<Int>()
    let lifetime = Lifetime()
    for number in 1...4 { lifetime.add(Disposables.create { log.append(number) }) }
    lifetime.dispose()
    lifetime.dispose()
    #expect(log.events == [1, 2, 3, 4])
    lifetime.add(Disposables.create { log.append(5) })
    #expect(log.events == [1, 2, 3, 4, 5])
  }

  @Test func `a child lifetime ends with its parent or earlier`() {
    let parent = Lifetime()
    let log = EventRecorder<String>()
    let first = Lifetime(parent: parent)
    first.add(Disposables.create { log.append("first") })
    first.dispose()
    Lifetime(parent: parent).add(Disposables.create { log.append("second") })
    #expect(log.events == ["first"])
    let child = Lifetime(parent: parent)
    #expect(!child.isDisposed)
    parent.dispose()
    #expect(child.isDisposed)
    #expect(Lifetime(parent: parent).isDisposed)
    #expect(log.events == ["first", "second"])
  }

  @Test func `a lifetime that a child's disposal disposes of also disposes of its other members`() {
    let parent = Lifetime()
    let log = EventRecorder<String>()
    let child = Lifetime(parent: parent)
    child.add(Disposables.create { log.append("first") })
    child.add(Disposables.create { parent.dispose() })
    child.add(Disposables.create { log.append("last") })
    parent.add(Disposables.create { log.append("parent") })
    child.finish()
    #expect(log.events == ["first", "parent", "last"])
  }

  @Test func `a lifetime releases ended children`() {
    let parent = Lifetime()
    let others = (0..<3).map { _ in Lifetime(parent: parent) }
    for other in others {
      weak var seen: Lifetime?
      do {
        let child = Lifetime(parent: parent)
        seen = child
        other.dispose()
        child.dispose()
      }
      #expect(seen == nil)
    }
    #expect(parent.count == 0)
  }

  @Test func `a lifetime with 100,000 members is released without recursion`() {
    #expect(
      isReleased { token in
        let lifetime = Lifetime()
        for _ in 0..<100_000 { lifetime.add(Disposables.create { token.hold() }) }
      }
    )
  }

  @Test func `a lifetime disposes of members that are added during its disposal`() {
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

  @Test func `a lifetime counts its active members and keeps their order`() {
    let log = EventRecorder<Int>()
    let lifetime = Lifetime()
    let actions = (0..<10).map { index in ActionDisposable { log.append(index) } }
    actions.forEach { lifetime.insert($0) }
    #expect(lifetime.count == 10)
    for index in [0, 9, 4, 5, 4] { actions[index].dispose() }
    #expect(lifetime.count == 6)
    lifetime.insert(Disposables.create { log.append(10) })
    lifetime.dispose()
    #expect(log.events == [0, 9, 4, 5, 1, 2, 3, 6, 7, 8, 10])
    #expect(lifetime.count == 0)
    let late = Lifetime()
    lifetime.insert(late)
    #expect(late.isDisposed)
  }

  @Test func `a disposable in two lifetimes is disposed of with the first`() {
    let log = EventRecorder<Int>()
    let (first, second) = (Lifetime(), Lifetime())
    let action = ActionDisposable { log.append(1) }
    first.insert(action)
    second.insert(action)
    second.dispose()
    #expect(log.events == [1])
    #expect(first.count == 0)
    first.dispose()
    #expect(log.events == [1])
  }

  @Test func `lifetimes that hold each other are released`() {
    weak var (first, second): (Lifetime?, Lifetime?)
    do {
      let (one, other) = (Lifetime(), Lifetime())
      one.insert(other)
      other.insert(one)
      one.dispose()
      #expect(other.isDisposed)
      (first, second) = (one, other)
    }
    #expect(first == nil)
    #expect(second == nil)
  }

  @Test func `a lifetime that waits for another one is released before didRelease is called`() {
    let log = EventRecorder<String>()
    let (outer, inner) = (ObservedLifetime(log, "outer"), ObservedLifetime(log, "inner"))
    outer.insert(inner)
    inner.add(
      Disposables.create {
        outer.dispose()
        log.append("outer disposed of")
      })
    inner.dispose()
    #expect(log.events == ["outer disposed of", "outer released", "inner released"])
  }

  @Test func `a closed container disposes of a lifetime whose end is being delivered`() {
    let (log, subject) = (EventRecorder<String>(), PublishSubject<Int>())
    let (subscription, closed) = (SerialDisposable(), Lifetime())
    closed.dispose()
    let held = subject.subscribe(
      onCompleted: {
        closed.add(subscription.disposable)
        log.append("added")
      }, onDisposed: { log.append("disposed of") })
    subscription.disposable = held
    subject.onCompleted()
    #expect(log.events == ["disposed of", "added"])
  }

  @Test func `dispose releases the source at once, also while its end is delivered`() {
    let (log, subject) = (EventRecorder<String>(), PublishSubject<Int>())
    let subscription = SerialDisposable()
    let source = Observable<Int>.create { observer in
      let subscription = subject.subscribe(observer)
      return Disposables.create {
        log.append("released")
        subscription.dispose()
      }
    }
    subscription.disposable = source.subscribe(onCompleted: {
      subscription.dispose()
      log.append("end delivered")
    })
    subject.onCompleted()
    #expect(log.events == ["released", "end delivered"])
  }

  @Test func `dispose calls onDisposed before it returns, also while the end is delivered`() {
    let (log, subject) = (EventRecorder<String>(), PublishSubject<Int>())
    let subscription = SerialDisposable()
    subscription.disposable = subject.subscribe(
      onCompleted: {
        log.append("completed")
        subscription.dispose()
        log.append("disposed of")
      }, onDisposed: { log.append("onDisposed") })
    subject.onCompleted()
    #expect(log.events == ["completed", "onDisposed", "disposed of"])
  }

  @Test func `onDisposed is called once when one thread disposes while another delivers the end`() {
    for _ in 0..<1_000 {
      let subject = PublishSubject<Int>()
      let count = Atomic(0)
      let subscription = subject.subscribe(
        onCompleted: { sched_yield() }, onDisposed: { count.add(1, ordering: .relaxed) })
      onThreads(2) { index in
        if index == 0 { subject.onCompleted() } else { subscription.dispose() }
      }
      #expect(count.load(ordering: .relaxed) == 1)
    }
  }

  @Test func `100,000 lifetimes that wait for each other are released without recursion`() async {
    await #expect(processExitsWith: .success) {
      onAnotherThread {
        let waiting = Locked<[Lifetime]>([])
        let inner = Lifetime()
        inner.add(
          Disposables.create { for each in waiting.withLock({ $0 }) { each.dispose() } })
        var last = inner
        for _ in 0..<100_000 {
          let next = Lifetime()
          next.insert(last)
          waiting.withLock { $0.append(next) }
          last = next
        }
        inner.dispose()
        precondition(last.isDisposed)
      }
    }
  }
}
