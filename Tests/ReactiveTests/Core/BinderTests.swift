import Foundation
import Reactive
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct BinderTests {
  @Test func `a binder delivers at once on the main thread and holds its target weakly`() {
    final class Target { var value = 0 }
    var target: Target? = Target()
    let log = EventRecorder<Int>()
    let binder = Binder(target ?? Target()) { target, value in
      target.value = value
      log.append(value)
    }
    let subject = PublishSubject<Int>()
    let subscription = subject.bind(to: binder)
    subject.onNext(1)
    #expect(target?.value == 1)
    target = nil
    subject.onNext(2)
    #expect(log.events == [1])
    subscription.dispose()
  }

  @Test func `a binder delivers elements of other threads on the main thread`() async {
    final class Target: Sendable {}
    let target = Target()
    let done = Latch()
    let log = EventRecorder<Bool>()
    let subject = PublishSubject<Int>()
    let subscription = subject.bind(
      to: Binder(target) { _, _ in
        log.append(MainScheduler.isCurrent)
        done.open()
      }
    )
    DispatchQueue.global().async { subject.onNext(1) }
    await done.opened()
    #expect(log.events == [true])
    subscription.dispose()
  }

  @Test(
    arguments: [
      ConcurrentDispatchQueueScheduler(qos: .default),
      SerialDispatchQueueScheduler(qos: .default), CurrentThreadScheduler.instance,
    ] as [any ImmediateSchedulerType])
  func `a binder with a background scheduler delivers on the main actor`(
    scheduler: any ImmediateSchedulerType
  ) async {
    final class Target: Sendable {}
    let target = Target()
    let done = Latch(100)
    let log = EventRecorder<Int>()
    let subject = PublishSubject<Int>()
    let subscription = subject.bind(
      to: Binder(target, scheduler: scheduler) { _, value in
        MainActor.assertIsolated()
        log.append(value)
        done.open()
      }
    )
    DispatchQueue.global().async { for value in 0..<100 { subject.onNext(value) } }
    await done.opened()
    let isConcurrent = scheduler is ConcurrentDispatchQueueScheduler
    #expect((isConcurrent ? log.events.sorted() : log.events) == Array(0..<100))
    subscription.dispose()
  }
}
