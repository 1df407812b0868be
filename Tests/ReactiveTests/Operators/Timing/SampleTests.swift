import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct SampleTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `sample emits the latest element once for each sampler element`() {
    let source = scheduler.createHotObservable([
      .next(210, 1), .next(220, 2), .next(250, 3), .completed(300),
    ])
    let sampler = scheduler.createHotObservable([
      .next(225, "x"), .next(235, "x"), .next(260, "x"), .next(320, "x"), .completed(500),
    ])
    let observer = scheduler.start { source.sample(sampler) }
    #expect(observer.events == [.next(225, 2), .next(260, 3), .completed(320)])
    #expect(source.subscriptions == [Subscription(200, 300)])
    #expect(sampler.subscriptions == [Subscription(200, 320)])
  }

  @Test func `sample(defaultValue:) emits the default without a new element`() {
    #expect(
      play("a--b---|", "-t-t-t--t") { a, b, _ in a.sample(b, defaultValue: "0") }
        == "-a-b-0--[0|]")
  }

  @Test func `sample emits the latest element when the sampler completes`() {
    #expect(play("-a-b|", "--t--|") { a, b, _ in a.sample(b) } == "--a--[b|]")
    #expect(play("-a--b|", "---|") { a, b, _ in a.sample(b) } == "---a--")
  }

  @Test func `sample ends with an error of source or sampler`() {
    #expect(play("-a-x", "-----x") { a, b, _ in a.sample(b) } == "---x")
    #expect(play("-a-----|", "--t-x") { a, b, _ in a.sample(b) } == "--a-x")
  }

  @Test func `sample emits no completion after disposal by its element`() {
    let (source, sampler) = (PublishSubject<Int>(), PublishSubject<Int>())
    let (own, log) = (SerialDisposable(), EventRecorder<String>())
    own.disposable = source.sample(sampler).do(onNext: { _ in own.dispose() }).record(in: log)
    source.onNext(1)
    source.onCompleted()
    sampler.onNext(0)
    #expect(log.events.isEmpty)
    #expect(!sampler.hasObservers)
  }
}
