import Foundation
import Reactive
import Testing

extension RxSwiftNamesTests {
  @Test @MainActor func `schedulers have RxSwift's names`() {
    let _: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    let _: Bool = CurrentThreadScheduler.isScheduleRequired
    let _: MainScheduler = MainScheduler.instance
    let _: MainScheduler = MainScheduler()
    let _: SerialDispatchQueueScheduler = MainScheduler.asyncInstance
    MainScheduler.ensureExecutingOnScheduler(errorMessage: "off the main queue")
    MainScheduler.ensureRunningOnMainThread(errorMessage: "off the main thread")
    let _: ConcurrentMainScheduler = ConcurrentMainScheduler.instance
    let queue = DispatchQueue(label: "names")
    let _: SerialDispatchQueueScheduler = SerialDispatchQueueScheduler(
      qos: .default, internalSerialQueueName: "names", leeway: .seconds(1))
    let _: SerialDispatchQueueScheduler = SerialDispatchQueueScheduler(
      queue: queue, internalSerialQueueName: "names", leeway: .seconds(1))
    let _: SerialDispatchQueueScheduler = SerialDispatchQueueScheduler(
      internalSerialQueueName: "names", serialQueueConfiguration: { _ in }, leeway: .seconds(1))
    let _: ConcurrentDispatchQueueScheduler = ConcurrentDispatchQueueScheduler(
      qos: .default, leeway: .seconds(1))
    let _: ConcurrentDispatchQueueScheduler = ConcurrentDispatchQueueScheduler(
      queue: queue, leeway: .seconds(1))
    let operations = OperationQueueScheduler(
      operationQueue: OperationQueue(), queuePriority: .high)
    let _: OperationQueue = operations.operationQueue
    let _: Operation.QueuePriority = operations.queuePriority
  }

  @Test func `scheduling has RxSwift's names`() {
    let _: RxTime = (scheduler as any SchedulerType).now
    let _: any Disposable = scheduler.schedule(1, action: { _ in Disposables.create() })
    let _: any Disposable = scheduler.scheduleRecursive(1, action: { _, _ in })
    let _: any Disposable = scheduler.scheduleRelative(
      1, dueTime: .seconds(1), action: { _ in Disposables.create() })
    let _: any Disposable = scheduler.schedulePeriodic(
      1, startAfter: .seconds(1), period: .seconds(1), action: { $0 + 1 })
  }

  @Test func `virtual time has RxSwift's names`() {
    let historical = HistoricalScheduler(initialClock: RxTime(timeIntervalSince1970: 0))
    let virtual: VirtualTimeScheduler<HistoricalSchedulerTimeConverter> = historical
    let clock: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>.VirtualTime = virtual.clock
    let interval: VirtualTimeScheduler<HistoricalSchedulerTimeConverter>.VirtualTimeInterval = 1
    let converter = Ticks()
    let _: VirtualTimeScheduler<Ticks> = VirtualTimeScheduler<Ticks>(
      initialClock: 1, converter: converter)
    let _: any Disposable = virtual.scheduleRelativeVirtual(
      1, dueTime: interval, action: { _ in Disposables.create() })
    let _: any Disposable = virtual.scheduleAbsoluteVirtual(
      1, time: clock, action: { _ in Disposables.create() })
    let _: Date = virtual.adjustScheduledTime(clock)
    let _: String = virtual.debugDescription
    virtual.start()
    virtual.advanceTo(clock + 9)
    virtual.sleep(interval)
    virtual.stop()

    let _: any VirtualTimeConverterType = converter
    let _: RxTime = converter.convertFromVirtualTime(1)
    let _: Int = converter.convertToVirtualTime(RxTime())
    let _: TimeInterval = converter.convertFromVirtualTimeInterval(1)
    let _: Int = converter.convertToVirtualTimeInterval(1)
    let _: Int = converter.offsetVirtualTime(1, offset: 1)
    let _: VirtualTimeComparison = converter.compareVirtualTime(1, 1)
    let _: [VirtualTimeComparison] = [.lessThan, .equal, .greaterThan]
  }

  @Test func `disposables have RxSwift's names`() {
    let disposable: any Disposable = Disposables.create()
    let other: any Cancelable = Disposables.create(with: {})
    let _: any Cancelable = Disposables.create(disposable, other)
    let _: any Cancelable = Disposables.create(disposable, other, other)
    let _: any Cancelable = Disposables.create([disposable])
    let _: Bool = other.isDisposed
    disposable.dispose()

    let bag = DisposeBag()
    disposable.disposed(by: bag)
    bag.insert(disposable)
    bag.insert(disposable, other)
    bag.insert([disposable])
    bag.insert(builder: { disposable })
    let _: DisposeBag = DisposeBag(disposing: disposable, other)
    let _: DisposeBag = DisposeBag(disposing: [disposable])
    let _: DisposeBag = DisposeBag(builder: { disposable })
    let _: [any Disposable] = DisposeBag.DisposableBuilder.buildBlock(disposable, other)

    let composite = CompositeDisposable()
    let _: CompositeDisposable = CompositeDisposable(disposable, other)
    let _: CompositeDisposable = CompositeDisposable(disposable, other, other)
    let _: CompositeDisposable = CompositeDisposable(disposable, other, other, disposable)
    let _: CompositeDisposable = CompositeDisposable(disposables: [disposable])
    let key: CompositeDisposable.DisposeKey? = composite.insert(disposable)
    if let key { composite.remove(for: key) }
    let _: Int = composite.count

    let serial = SerialDisposable()
    serial.disposable = disposable
    let assignment = SingleAssignmentDisposable()
    assignment.setDisposable(disposable)
    let counted = RefCountDisposable(disposable: disposable)
    let _: any Disposable = counted.retain()
    let _: BooleanDisposable = BooleanDisposable()
    let _: BooleanDisposable = BooleanDisposable(isDisposed: true)
    let scheduled = ScheduledDisposable(scheduler: scheduler, disposable: disposable)
    let _: any ImmediateSchedulerType = scheduled.scheduler
    let cancelables: [any Cancelable] = [composite, serial, assignment, counted, scheduled]
    cancelables.forEach { cancelable in cancelable.dispose() }
  }
}

/// Seconds, counted.
private struct Ticks: VirtualTimeConverterType {
  func convertFromVirtualTime(_ time: Int) -> RxTime {
    RxTime(timeIntervalSinceReferenceDate: Double(time))
  }
  func convertToVirtualTime(_ time: RxTime) -> Int { Int(time.timeIntervalSinceReferenceDate) }
  func convertFromVirtualTimeInterval(_ interval: Int) -> TimeInterval { Double(interval) }
  func convertToVirtualTimeInterval(_ interval: TimeInterval) -> Int { Int(interval) }
  func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }
  func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
    lhs < rhs ? .lessThan : lhs > rhs ? .greaterThan : .equal
  }
}
