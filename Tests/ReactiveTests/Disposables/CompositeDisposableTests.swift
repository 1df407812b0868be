import Foundation
import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct CompositeDisposableTests {
  @Test func `disposes of all in order`() {
    let log = Log<Int>()
    let parts = (1...5).map { number in Disposables.create { log.append(number) } }
    let all = CompositeDisposable(parts[0], parts[1], parts[2], parts[3], parts[4])
    #expect(all.count == 5)
    all.dispose()
    all.dispose()
    #expect(log.entries == [1, 2, 3, 4, 5])
    #expect(all.isDisposed)
    #expect(all.count == 0)
  }

  @Test func `a key removes and disposes of one, once`() throws {
    let log = Log<Int>()
    let all = CompositeDisposable(disposables: [Disposables.create { log.append(1) }])
    let key = try #require(all.insert(Disposables.create { log.append(2) }))
    _ = all.insert(Disposables.create { log.append(3) })
    all.remove(for: key)
    all.remove(for: key)
    #expect(log.entries == [2])
    #expect(all.count == 2)
    all.dispose()
    all.remove(for: key)
    #expect(log.entries == [2, 1, 3])
  }

  @Test func `takes nothing in once disposed of`() {
    let all = CompositeDisposable()
    all.dispose()
    let late = BooleanDisposable()
    #expect(all.insert(late) == nil)
    #expect(late.isDisposed)
  }

  @Test func `counts what has ended until it is removed`() throws {
    let all = CompositeDisposable()
    let subscription = Observable<Int>.never().subscribe()
    let key = try #require(all.insert(subscription))
    subscription.dispose()
    #expect(all.count == 1)
    all.remove(for: key)
    #expect(all.count == 0)
  }

  @Test func `a key holds nothing`() {
    var key: CompositeDisposable.DisposeKey?
    let wasReleased = isReleased { token in
      key = CompositeDisposable().insert(Disposables.create { token.hold() })
    }
    #expect(key != nil)
    #expect(wasReleased)
  }

  @Test func `a key of another one removes nothing`() throws {
    let (log, all, others) = (Log<Int>(), CompositeDisposable(), CompositeDisposable())
    let key = try #require(all.insert(Disposables.create { log.append(1) }))
    _ = others.insert(Disposables.create { log.append(2) })
    others.remove(for: key)
    #expect(log.entries.isEmpty)
    #expect(all.count == 1)
    #expect(others.count == 1)
  }

  @Test func `one that is released disposes of nothing, nor does a key of it`() throws {
    let log = Log<Int>()
    var all: CompositeDisposable? = CompositeDisposable()
    let key = try #require(all?.insert(Disposables.create { log.append(1) }))
    all = nil
    CompositeDisposable().remove(for: key)
    #expect(log.entries.isEmpty)
  }

  @Test func `the same one held twice is counted twice, and disposed of once`() throws {
    let (log, all) = (Log<Int>(), CompositeDisposable())
    let action = Disposables.create { log.append(1) }
    let key = try #require(all.insert(action))
    _ = all.insert(action)
    #expect(all.count == 2)
    all.remove(for: key)
    #expect(all.count == 1)
    all.dispose()
    #expect(log.entries == [1])
  }

  @Test func `a removal and a disposal at once dispose of each once`() {
    for _ in 0..<200 {
      let number = Locked(0)
      let all = CompositeDisposable()
      let keys = (0..<4).compactMap { _ in
        all.insert(Disposables.create { number.withLock { $0 += 1 } })
      }
      DispatchQueue.concurrentPerform(iterations: 2) { thread in
        if thread == 0 { all.dispose() } else { keys.forEach(all.remove) }
      }
      #expect(number.withLock { $0 } == 4)
    }
  }

  @Test func `a disposal may reach into it`() {
    let all = CompositeDisposable()
    let log = Log<Int>()
    _ = all.insert(
      Disposables.create {
        log.append(all.count)
        if all.insert(Disposables.create { log.append(-1) }) != nil { log.append(-2) }
      })
    all.dispose()
    #expect(log.entries == [0, -1])
  }
}
