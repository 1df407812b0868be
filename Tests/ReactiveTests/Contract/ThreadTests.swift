import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// An observer that detects overlapping calls and events after the end.
private final class Watcher: Sendable {
  let inside = Atomic(0)
  let overlaps = Atomic(0)
  let elements = Atomic(0)
  let ends = Atomic(0)
  let late = Atomic(0)

  /// - Parameter during: called while the observer is inside.
  func watch(
    _ observable: Observable<Int>,
    during: @escaping @Sendable () -> Void = {}
  ) -> any Disposable {
    observable.subscribe { event in
      if self.inside.add(1, ordering: .sequentiallyConsistent).oldValue > 0 {
        self.overlaps.add(1, ordering: .relaxed)
      }
      if self.ends.load(ordering: .sequentiallyConsistent) > 0 {
        self.late.add(1, ordering: .relaxed)
      }
      if event.isStopEvent {
        self.ends.add(1, ordering: .sequentiallyConsistent)
      } else {
        self.elements.add(1, ordering: .relaxed)
      }
      during()
      // Long enough for another thread to arrive.
      for _ in 0..<50 { _ = self.ends.load(ordering: .relaxed) }
      self.inside.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  func expectOneAtATime(_ name: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(overlaps.load(ordering: .relaxed) == 0, "\(name)", sourceLocation: sourceLocation)
    #expect(late.load(ordering: .relaxed) == 0, "\(name)", sourceLocation: sourceLocation)
    #expect(ends.load(ordering: .relaxed) <= 1, "\(name)", sourceLocation: sourceLocation)
  }
}

/// Operators with sources, timers and observers on different threads.
@Suite("The contract of operators between threads", .workerPool)
struct ThreadTests {
  static let several = Table.rows(.severalSources)
  static let timed = Table.rows(.timeBased)
  static let all = Table.all.filter { $0.sourceCount > 0 && !$0.traits.contains(.onMain) }
  /// Two threads that send to one source violate the contract; operators with a collection may trap.
  static let enteredByTwo = all.filter { !$0.traits.contains(.keepsElements) }

  private static func subjects(_ row: Row) -> [PublishSubject<Int>] {
    (0..<row.sourceCount).map { _ in PublishSubject() }
  }

  private static func scheduler() -> TestScheduler {
    TestScheduler(initialClock: 0, simulateProcessingDelay: false)
  }

  @Test(arguments: several)
  func `an operator delivers elements of several threads one at a time and the end last`(row: Row) {
    let count = 200 / row.sourceCount
    // Each round has one end, which is the difficult event.
    for _ in 0..<10 {
      let subjects = Self.subjects(row)
      let watcher = Watcher()
      let subscription = watcher.watch(row.build(subjects, Self.scheduler()))
      onThreads(row.sourceCount, within: 20) { index in
        for element in 0..<count { subjects[index].onNext(element) }
        subjects[index].onCompleted()
      }
      watcher.expectOneAtATime(row.name)
      let elements = watcher.elements.load(ordering: .relaxed)
      if row.ends, !row.traits.contains(.mayNotEnd) {
        #expect(watcher.ends.load(ordering: .relaxed) == 1)
      }
      if row.traits.contains(.emitsAll) { #expect(elements == row.sourceCount * count) }
      if row.name.hasPrefix("Observable.zip("), row.emits.count > 4 {
        #expect(elements == count)
      }
      subscription.dispose()
      #expect(subjects.allSatisfy { !$0.hasObservers })
    }
  }

  @Test(arguments: several)
  func `a sender on another thread does not wait while an operator delivers`(row: Row) {
    let subjects = Self.subjects(row)
    let watcher = Watcher()
    let sending = Atomic(0)
    let isFirst = Atomic(true)
    let subscription = watcher.watch(row.build(subjects, Self.scheduler())) {
      if !isFirst.exchange(false, ordering: .relaxed) { return }
      let busy = sending.load(ordering: .relaxed)
      onThreads(1, within: 10) { _ in
        for (index, subject) in subjects.enumerated() where index != busy {
          subject.onNext(7)
          subject.onCompleted()
        }
      }
    }
    for element in 0..<3 {
      for (index, subject) in subjects.enumerated() {
        sending.store(index, ordering: .relaxed)
        subject.onNext(element)
      }
    }
    for subject in subjects { subject.onCompleted() }
    watcher.expectOneAtATime(row.name)
    if row.ends, !row.traits.contains(.mayNotEnd) {
      #expect(watcher.ends.load(ordering: .relaxed) == 1)
    }
    subscription.dispose()
    #expect(subjects.allSatisfy { !$0.hasObservers })
  }

  @Test(arguments: timed)
  func `an operator delivers elements and timer events of two threads one at a time`(row: Row) {
    let subjects = Self.subjects(row)
    let (watcher, scheduler) = (Watcher(), Self.scheduler())
    let subscription = watcher.watch(row.build(subjects, scheduler))
    scheduler.advanceTo(0)
    onThreads(2, within: 20) { index in
      if index == 0 {
        for _ in 0..<300 { scheduler.advanceTo(scheduler.clock + 10) }
      } else {
        for element in 0..<300 { for subject in subjects { subject.onNext(element) } }
        for subject in subjects { subject.onCompleted() }
      }
    }
    scheduler.advanceTo(scheduler.clock + 10_000)
    watcher.expectOneAtATime(row.name)
    if row.ends { #expect(watcher.ends.load(ordering: .relaxed) == 1) }
    subscription.dispose()
    scheduler.advanceTo(scheduler.clock + 1)
    #expect(subjects.allSatisfy { !$0.hasObservers })
  }

  @Test(arguments: all.filter { !$0.traits.contains(.retriesForever) })
  func `an operator keeps the event grammar when an error, elements and disposal race`(row: Row) {
    for round in 0..<20 {
      let subjects = Self.subjects(row)
      let (watcher, scheduler) = (Watcher(), Self.scheduler())
      let subscription = watcher.watch(row.build(subjects, scheduler))
      scheduler.advanceTo(0)
      // One thread for each source: two threads must not send to one source.
      onThreads(row.sourceCount + 1, within: 20) { index in
        guard index < subjects.count else {
          scheduler.advanceTo(10)
          if round % 2 == 0 { subscription.dispose() }
          return
        }
        for element in 0..<10 { subjects[index].onNext(element) }
        if index == 0 { subjects[index].onError(TestError.any) }
      }
      watcher.expectOneAtATime(row.name)
      subscription.dispose()
      scheduler.advanceTo(scheduler.clock + 1)
      #expect(subjects.allSatisfy { !$0.hasObservers })
    }
  }

  // A gate that blocked other threads would deadlock here: one thread waits for the lock inside the
  // gate, and the other one for the gate while it holds the lock.
  @Test(arguments: all)
  func `an operator does not deadlock when the sender holds a lock that the observer takes`(
    row: Row
  ) {
    let subjects = Self.subjects(row)
    let scheduler = Self.scheduler()
    let lock = NSRecursiveLock()
    let subscription = row.build(subjects, scheduler).subscribe { _ in lock.withLock {} }
    scheduler.advanceTo(0)
    onThreads(row.sourceCount + 1, within: 20) { index in
      guard index < subjects.count else {
        for _ in 0..<50 { lock.withLock { scheduler.advanceTo(scheduler.clock + 10) } }
        return
      }
      for element in 0..<100 { lock.withLock { subjects[index].onNext(element) } }
      subjects[index].onCompleted()
    }
    subscription.dispose()
  }

  #if !SANITIZED
  // Two locks taken in both orders would deadlock here. Not under sanitizers: overlapping sends to a
  // subject are a race by its contract, and the nesting is too deep for the larger stack frames of
  // sanitizers.
  @Test(arguments: enteredByTwo)
  func `two operators that send to each other's sources do not deadlock`(row: Row) {
    let (first, second) = (Self.subjects(row), Self.subjects(row))
    let scheduler = Self.scheduler()
    let budget = Atomic(200)
    func cross(_ mine: [PublishSubject<Int>], _ others: [PublishSubject<Int>]) -> any Disposable {
      row.build(mine, scheduler).subscribe(
        onNext: { element in
          if budget.subtract(1, ordering: .relaxed).newValue < 0 { return }
          // Sums of sums would overflow.
          for subject in others { subject.onNext(element % 100) }
        },
        onError: { _ in }
      )
    }
    let subscriptions = [cross(first, second), cross(second, first)]
    scheduler.advanceTo(0)
    onThreads(2, within: 20) { index in
      for element in 0..<50 {
        for subject in index == 0 ? first : second { subject.onNext(element) }
      }
    }
    for subscription in subscriptions { subscription.dispose() }
  }
  #endif
}
