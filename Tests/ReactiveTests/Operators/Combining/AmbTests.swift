import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct AmbTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `amb selects the source that emits first and disposes of the other`() {
    let a = scheduler.createHotObservable([.next(220, 1), .next(230, 2), .completed(240)])
    let b = scheduler.createHotObservable([.next(210, 5), .next(235, 6), .completed(250)])
    let observer = scheduler.start { a.amb(b) }
    #expect(observer.events == [.next(210, 5), .next(235, 6), .completed(250)])
    #expect(a.subscriptions == [Subscription(200, 210)])
    #expect(b.subscriptions == [Subscription(200, 250)])
  }

  @Test func `amb selects the source that ends first`() {
    #expect(play("--a-|", "-|") { a, b, _ in a.amb(b) } == "-|")
    #expect(play("--a-|", "-x") { a, b, _ in a.amb(b) } == "-x")
    #expect(play("-a-x", "--b-|") { a, b, _ in a.amb(b) } == "-a-x")
  }

  @Test func `amb of a collection selects the source that emits first`() {
    let sources = (0..<5).map { index in
      Observable<Int>.timer(.seconds(10 - index), scheduler: scheduler).map { _ in index }
    }
    let observer = scheduler.start { Observable.amb(sources) }
    #expect(observer.events == [.next(206, 4), .completed(206)])
    #expect(Observable<Int>.amb([]).recorded() == "")
  }

  @Test func `amb subscribes to no further source after one that emits during subscribe`() {
    let other = scheduler.createHotObservable([.next(210, 5)])
    let observer = scheduler.start { Observable.amb([.just(1), other.asObservable()]) }
    #expect(observer.events == [.next(200, 1), .completed(200)])
    #expect(other.subscriptions.isEmpty)
  }

  @Test func `disposal of amb disposes of all sources`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let subscription = a.amb(b).subscribe()
    #expect(a.hasObservers && b.hasObservers)
    subscription.dispose()
    #expect(!a.hasObservers && !b.hasObservers)
  }
}
