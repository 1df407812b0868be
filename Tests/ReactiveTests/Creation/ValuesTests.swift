import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct ValuesTests {
  let scheduler = TestScheduler(initialClock: 0)

  @Test func `just, of, from, empty, error, never and range emit their elements`() {
    #expect(Observable.just(1).recorded() == "1 |")
    #expect(Observable.of(1, 2, 3).recorded() == "1 2 3 |")
    #expect(Observable.from([1, 2]).recorded() == "1 2 |")
    #expect(Observable.from(["a", "b"].lazy.map { $0 }).recorded() == "a b |")
    #expect(Observable.from(optional: 1).recorded() == "1 |")
    #expect(Observable<Int>.from(optional: nil).recorded() == "|")
    #expect(Observable<Int>.empty().recorded() == "|")
    #expect(Observable<Int>.error(TestError.any).recorded() == "x")
    #expect(Observable<Int>.never().recorded() == "")
    #expect(Observable.range(start: 3, count: 3).recorded() == "3 4 5 |")
    #expect(Observable.range(start: 3, count: 0).recorded() == "|")
    #expect(Observable<UInt8>.range(start: 254, count: 2).recorded() == "254 255 |")
  }

  @Test func `Observable.from starts again for each subscription`() {
    let source = Observable.from(1...3)
    #expect(source.recorded() == "1 2 3 |")
    #expect(source.recorded() == "1 2 3 |")
  }

  @Test func `Observable.of on a scheduler schedules each element separately`() {
    let observer = scheduler.start { Observable.of(1, 2, 3, scheduler: scheduler) }
    #expect(observer.events == [.next(201, 1), .next(202, 2), .next(203, 3), .completed(204)])
  }

  @Test func `range on a scheduler schedules each element separately`() {
    let range = scheduler.start { Observable.range(start: 1, count: 2, scheduler: scheduler) }
    #expect(range.events == [.next(201, 1), .next(202, 2), .completed(203)])
  }

  @Test func `just on a scheduler schedules its element and its completion separately`() {
    let just = scheduler.start { Observable.just(1, scheduler: scheduler) }
    #expect(just.events == [.next(201, 1), .completed(202)])
  }

  @Test func `disposal stops Observable.from on a scheduler`() {
    let observer = scheduler.start(disposed: 203) { Observable.from(1...9, scheduler: scheduler) }
    #expect(observer.events == [.next(201, 1), .next(202, 2)])
    #expect(scheduler.clock < 300)
  }

  @Test func `disposal in onNext stops an endless sequence`() {
    let log = EventRecorder<Int>()
    let subject = PublishSubject<Void>()
    let own = SerialDisposable()
    own.disposable = subject.flatMap { Observable.from(sequence(first: 1) { $0 + 1 }) }
      .subscribe(onNext: {
        log.append($0)
        if $0 == 3 { own.dispose() }
      })
    subject.onNext(())
    #expect(log.events == [1, 2, 3])
    #expect(Observable.from(sequence(first: 1) { $0 + 1 }).take(2).recorded() == "1 2 |")
  }

  @Test func `just delivers at once inside a running trampoline`() {
    let log = EventRecorder<String>()
    let bag = DisposeBag()
    Observable.of(1, 2).subscribe(onNext: { element in
      Observable.just(element * 10).subscribe(onNext: { log.append("\($0)") }).disposed(by: bag)
      log.append("\(element)")
    })
    .disposed(by: bag)
    #expect(log.events == ["10", "1", "20", "2"])
  }

  @Test func `generate emits while its condition is true`() {
    let powers = Observable.generate(initialState: 1, condition: { $0 < 10 }) { $0 * 2 }
    #expect(powers.recorded() == "1 2 4 8 |")
    #expect(powers.recorded() == "1 2 4 8 |")
    let none = Observable.generate(initialState: 1, condition: { _ in false }) { $0 }
    #expect(none.recorded() == "|")
    let observer = scheduler.start {
      Observable.generate(initialState: 0, condition: { $0 < 2 }, scheduler: scheduler) { $0 + 1 }
    }
    #expect(observer.events == [.next(201, 0), .next(202, 1), .completed(203)])
  }

  @Test func `generate emits errors thrown by its closures`() {
    let condition = Observable.generate(
      initialState: 0, condition: { if $0 == 1 { throw TestError.any } else { true } },
      iterate: { $0 + 1 })
    #expect(condition.recorded() == "0 x")
    let iterate = Observable.generate(
      initialState: 0, condition: { _ in true }, iterate: { _ in throw TestError.any })
    #expect(iterate.recorded() == "0 x")
  }

  @Test func `repeatElement emits until it is disposed of`() {
    #expect(Observable.repeatElement(1).take(3).recorded() == "1 1 1 |")
    let observer = scheduler.start(disposed: 204) {
      Observable.repeatElement(7, scheduler: scheduler)
    }
    #expect(observer.events == [.next(201, 7), .next(202, 7), .next(203, 7)])
  }
}
