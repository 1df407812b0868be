import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TimersTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `a timer fires once and completes`() {
    let observer = scheduler.start { Observable<Int>.timer(.seconds(300), scheduler: scheduler) }
    #expect(observer.events == [.next(500, 0), .completed(500)])
  }

  @Test func `a timer of zero seconds fires one tick later`() {
    let observer = scheduler.start { Observable<Int>.timer(.seconds(0), scheduler: scheduler) }
    #expect(observer.events == [.next(201, 0), .completed(201)])
  }

  @Test func `a disposed timer does not fire`() {
    let observer = scheduler.start { Observable<Int>.timer(.seconds(1000), scheduler: scheduler) }
    #expect(observer.events.isEmpty)
    #expect(scheduler.clock == 1000)
  }

  @Test func `an interval counts until it is disposed of`() {
    let observer = scheduler.start {
      Observable<Int64>.interval(.seconds(250), scheduler: scheduler)
    }
    #expect(observer.events == [.next(450, 0), .next(700, 1), .next(950, 2)])
  }

  @Test func `an interval of zero seconds fires with each tick`() {
    let observer = scheduler.start(disposed: 205) {
      Observable<Int>.interval(.seconds(0), scheduler: scheduler)
    }
    #expect(observer.events == [.next(201, 0), .next(202, 1), .next(203, 2), .next(204, 3)])
  }

  @Test func `a timer with a period fires repeatedly`() {
    let observer = scheduler.start(disposed: 500) {
      Observable<Int>.timer(.seconds(50), period: .seconds(100), scheduler: scheduler)
    }
    #expect(observer.events == [.next(250, 0), .next(350, 1), .next(450, 2)])
  }

  @Test func `disposal in onNext stops an interval`() {
    let own = SerialDisposable()
    let log = EventRecorder<Int>()
    own.disposable = Observable<Int>.interval(.seconds(1), scheduler: scheduler).subscribe(onNext: {
      log.append($0)
      if $0 == 1 { own.dispose() }
    })
    scheduler.start()
    #expect(log.events == [0, 1])
    #expect(scheduler.clock <= 3)
  }
}
