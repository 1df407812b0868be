import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct SerialDisposableTests {
  @Test func `a serial disposable disposes of the replaced disposable`() {
    let log = EventRecorder<Int>()
    let serial = SerialDisposable()
    serial.disposable = Disposables.create { log.append(1) }
    serial.disposable = Disposables.create { log.append(2) }
    #expect(log.events == [1])
    serial.dispose()
    #expect(log.events == [1, 2])
    #expect(serial.isDisposed)
    serial.disposable = Disposables.create { log.append(3) }
    #expect(log.events == [1, 2, 3])
  }

  @Test func `a serial disposable disposes of every disposable when three threads race`() {
    for _ in 0..<200 {
      let serial = SerialDisposable()
      let count = Locked(0)
      onThreads(3) { index in
        if index == 2 { return serial.dispose() }
        for _ in 0..<20 {
          serial.disposable = Disposables.create { count.withLock { $0 += 1 } }
        }
      }
      #expect(count.withLock { $0 } == 40)
    }
  }

  @Test func `a serial disposable returns its current disposable`() {
    let serial = SerialDisposable()
    let held = BooleanDisposable()
    serial.disposable.dispose()
    serial.disposable = held
    #expect(serial.disposable as? BooleanDisposable === held)
    serial.dispose()
    #expect(serial.disposable as? BooleanDisposable == nil)
  }

  @Test func `a disposable can read its serial disposable during disposal`() {
    let serial = SerialDisposable()
    let log = EventRecorder<Bool>()
    for _ in 0..<2 { serial.disposable = Disposables.create { log.append(serial.isDisposed) } }
    serial.dispose()
    #expect(log.events == [false, true])
  }

  @Test func `SingleAssignmentDisposable disposes of a disposable that is set after disposal`() {
    let (early, late) = (SingleAssignmentDisposable(), SingleAssignmentDisposable())
    let flags = [BooleanDisposable(), BooleanDisposable()]
    early.setDisposable(flags[0])
    #expect(!flags[0].isDisposed)
    early.dispose()
    late.dispose()
    #expect(late.isDisposed)
    late.setDisposable(flags[1])
    #expect(flags.allSatisfy { $0.isDisposed })
  }

  @Test func `setting a second disposable of SingleAssignmentDisposable traps`() async {
    await #expect(processExitsWith: .failure) {
      let single = SingleAssignmentDisposable()
      single.setDisposable(BooleanDisposable())
      single.setDisposable(BooleanDisposable())
    }
    await #expect(processExitsWith: .failure) {
      let single = SingleAssignmentDisposable()
      single.dispose()
      single.setDisposable(BooleanDisposable())
      single.setDisposable(BooleanDisposable())
    }
  }
}
