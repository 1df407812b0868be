import Foundation
import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct CompositeDisposableTests {
  @Test func `a composite disposable disposes of its members in order`() {
    let log = EventRecorder<Int>()
    let parts = (1...5).map { number in Disposables.create { log.append(number) } }
    let all = CompositeDisposable(parts[0], parts[1], parts[2], parts[3], parts[4])
    #expect(all.count == 5)
    all.dispose()
    all.dispose()
    #expect(log.events == [1, 2, 3, 4, 5])
    #expect(all.isDisposed)
    #expect(all.count == 0)
  }

  @Test func `CompositeDisposable.remove disposes of the key's member once`() throws {
    let log = EventRecorder<Int>()
    let all = CompositeDisposable(disposables: [Disposables.create { log.append(1) }])
    let key = try #require(all.insert(Disposables.create { log.append(2) }))
    _ = all.insert(Disposables.create { log.append(3) })
    all.remove(for: key)
    all.remove(for: key)
    #expect(log.events == [2])
    #expect(all.count == 2)
    all.dispose()
    all.remove(for: key)
    #expect(log.events == [2, 1, 3])
  }

  @Test func `a disposed composite disposable disposes of an inserted member at once`() {
    let all = CompositeDisposable()
    all.dispose()
    let late = BooleanDisposable()
    #expect(all.insert(late) == nil)
    #expect(late.isDisposed)
  }

  @Test func `a composite disposable counts an ended member until its removal`() throws {
    let all = CompositeDisposable()
    let subscription = Observable<Int>.never().subscribe()
    let key = try #require(all.insert(subscription))
    subscription.dispose()
    #expect(all.count == 1)
    all.remove(for: key)
    #expect(all.count == 0)
  }

  @Test func `a key of a composite disposable does not retain it`() {
    var key: CompositeDisposable.DisposeKey?
    let wasReleased = isReleased { token in
      key = CompositeDisposable().insert(Disposables.create { token.hold() })
    }
    #expect(key != nil)
    #expect(wasReleased)
  }

  @Test func `a key of another composite disposable removes nothing`() throws {
    let (log, all, others) = (EventRecorder<Int>(), CompositeDisposable(), CompositeDisposable())
    let key = try #require(all.insert(Disposables.create { log.append(1) }))
    _ = others.insert(Disposables.create { log.append(2) })
    others.remove(for: key)
    #expect(log.events.isEmpty)
    #expect(all.count == 1)
    #expect(others.count == 1)
  }

  @Test func `a released composite disposable does not dispose of its members`() throws {
    let log = EventRecorder<Int>()
    var all: CompositeDisposable? = CompositeDisposable()
    let key = try #require(all?.insert(Disposables.create { log.append(1) }))
    all = nil
    CompositeDisposable().remove(for: key)
    #expect(log.events.isEmpty)
  }

  @Test
  func
    `a disposable inserted twice in a composite disposable counts twice and is disposed of once`()
    throws
  {
    let (log, all) = (EventRecorder<Int>(), CompositeDisposable())
    let action = Disposables.create { log.append(1) }
    let key = try #require(all.insert(action))
    _ = all.insert(action)
    #expect(all.count == 2)
    all.remove(for: key)
    #expect(all.count == 1)
    all.dispose()
    #expect(log.events == [1])
  }

  @Test func `a composite disposable disposes of each member once when removal and disposal race`()
  {
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

  @Test func `a member of a composite disposable can access it during disposal`() {
    let all = CompositeDisposable()
    let log = EventRecorder<Int>()
    _ = all.insert(
      Disposables.create {
        log.append(all.count)
        if all.insert(Disposables.create { log.append(-1) }) != nil { log.append(-2) }
      })
    all.dispose()
    #expect(log.events == [0, -1])
  }
}
