import Foundation
import ReactiveTesting
import Sockets
import Testing

/// 500 tests at once, as Swift Testing starts them: on the task pool, one thread per core.
///
/// Each must end in time while all others run and block, and use little CPU time.
@Suite struct ParallelTests {
  static let numbers = 0..<100

  @Test(arguments: numbers)
  func `an observable that changes queues is awaited while its thread blocks`(number: Int) throws {
    try measured {
      let background = ConcurrentDispatchQueueScheduler(qos: .default)
      let sums = Observable.of(number, number + 1)
        .observe(on: background)
        .delay(.milliseconds(1), scheduler: background)
        .scan(0, accumulator: +)
      let result = try sums.toBlocking(timeout: 30).toArray()
      #expect(result == [number, 2 * number + 1])
    }
  }

  @Test(arguments: numbers)
  func `an observable of an async closure is awaited while its thread blocks`(number: Int) throws {
    try measured {
      let doubled = Observable<Int>.create { observer in
        await Task.yield()
        observer(await Doubler().double(number))
      }
      let result = try doubled.toBlocking(timeout: 30).single()
      #expect(result == 2 * number)
    }
  }

  @Test(arguments: numbers)
  func `a debounce after an interval runs in virtual time`(number: Int) {
    measured {
      let scheduler = TestScheduler(initialClock: 0)
      let observer = scheduler.start(disposed: 500) {
        Observable<Int>.interval(.seconds(20), scheduler: scheduler)
          .filter { $0 % 5 == 0 }
          .map { $0 + number }
          .debounce(.seconds(10), scheduler: scheduler)
      }
      #expect(
        observer.events == [.next(230, number), .next(330, number + 5), .next(430, number + 10)])
    }
  }

  @Test(arguments: numbers)
  func `an async effect of a composer runs in virtual time`(number: Int) {
    measured {
      let test = TestComposer(SearchComposer())
      test.send(.query("s")) { $0.query = "s" }
      test.advance(by: .milliseconds(200))
      test.send(.query("\(number)")) { $0.query = "\(number)" }
      test.advance(by: .milliseconds(2_300))
      test.receive(.found(["\(number)1", "\(number)2"])) {
        $0.results = ["\(number)1", "\(number)2"]
      }
      test.finish()
    }
  }

  @Test(arguments: numbers)
  func `two paired sockets exchange messages`(number: Int) throws {
    try measured {
      let (client, server) = MockWebSocket.pair()
      let bag = DisposeBag()
      server.messages.subscribe(onNext: { try? server.send($0) }).disposed(by: bag)
      try client.send("\(number)")
      #expect(client.received == [.text("\(number)")])
      client.close()
      #expect(server.state == .disconnected)
    }
  }
}

actor Doubler {
  func double(_ number: Int) -> Int { 2 * number }
}
