import Reactive
import Testing

@Suite struct DisposableTests {
  @Test func `an action runs once and is released`() {
    let log = Log<Int>()
    let wasReleased = isReleased { token in
      let disposable = Disposables.create {
        token.hold()
        log.append(1)
      }
      #expect(!disposable.isDisposed)
      disposable.dispose()
      disposable.dispose()
      #expect(disposable.isDisposed)
    }
    #expect(wasReleased)
    #expect(log.entries == [1])
  }

  @Test func `a group disposes of all in order`() {
    let log = Log<Int>()
    let parts = (1...4).map { number in Disposables.create { log.append(number) } }
    let group = Disposables.create(parts[0], parts[1], parts[2], parts[3])
    group.dispose()
    #expect(log.entries == [1, 2, 3, 4])
    #expect(group.isDisposed)
  }

  @Test func `a serial disposable disposes of what it held before`() {
    let log = Log<Int>()
    let serial = SerialDisposable()
    serial.disposable = Disposables.create { log.append(1) }
    serial.disposable = Disposables.create { log.append(2) }
    #expect(log.entries == [1])
    serial.dispose()
    #expect(log.entries == [1, 2])
    #expect(serial.isDisposed)
    serial.disposable = Disposables.create { log.append(3) }
    #expect(log.entries == [1, 2, 3])
  }

  @Test func `a serial disposable loses nothing between threads`() {
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
}
