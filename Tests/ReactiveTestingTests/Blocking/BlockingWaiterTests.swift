import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing
import XCTest

@Suite(.workerPool) struct BlockingWaiterTests {
  @MainActor @Test func `a blocking function on the main actor fails when it needs the main queue`()
  {
    let later = Observable.just(1).observe(on: MainScheduler.asyncInstance)
    let error = #expect(throws: BlockingError.self) { try later.toBlocking().toArray() }
    #expect("\(error as Any)".contains("main queue"))
    #expect(throws: BlockingError.self) { try Observable<Int>.never().toBlocking().first() }
  }

  @MainActor @Test
  func `a blocking function on the main actor returns elements of a synchronous source`() throws {
    #expect(try Observable.of(1, 2, 3).toBlocking().toArray() == [1, 2, 3])
    #expect(try Observable.just(1).asDriver(onErrorJustReturn: 0).toBlocking().first() == 1)
  }

  @Test func `a blocking function on another thread sleeps until the end`() throws {
    let source = Observable.of(1, 2)
      .observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
      .observe(on: MainScheduler.instance)
    #expect(try source.toBlocking(timeout: 60).toArray() == [1, 2])
  }

  @Test func `a blocking function on another thread returns at the timeout`() {
    let result = Observable<Int>.never().startWith(1).toBlocking(timeout: 0.01).materialize()
    guard case .failed(let elements, RxError.timeout) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(elements == [1])
  }
}

/// XCTest calls tests on the main thread, outside blocks of the main queue.
final class BlockingWaiterOnMainThreadTests: XCTestCase {
  private let background = ConcurrentDispatchQueueScheduler(qos: .default)

  func testWhatIsDeliveredOnTheMainQueueArrives() throws {
    XCTAssertTrue(Thread.isMainThread)
    let source = Observable.of(1, 2, 3).observe(on: background).observe(on: MainScheduler.instance)
    XCTAssertEqual(try source.toBlocking(timeout: 60).toArray(), [1, 2, 3])
    let driver = source.asDriver(onErrorJustReturn: 0)
    XCTAssertEqual(try driver.toBlocking(timeout: 60).last(), 3)
    let later = Observable.of(4, 5).observe(on: MainScheduler.asyncInstance)
    for _ in 0..<1_000 { XCTAssertEqual(try later.toBlocking(timeout: 60).last(), 5) }
  }

  func testAnEndOnAnotherThreadWakesTheMainThread() throws {
    let source = Observable.just(1).delay(.milliseconds(1), scheduler: background)
    let start = Date()
    for _ in 0..<100 where Date().timeIntervalSince(start) < 60 {
      XCTAssertEqual(try source.toBlocking(timeout: 60).toArray(), [1])
    }
    XCTAssertLessThan(Date().timeIntervalSince(start), 60)
  }

  func testTheMainThreadWaitsNoLongerThanTheTimeout() {
    XCTAssertThrowsError(try Observable<Int>.never().toBlocking(timeout: 0.01).toArray()) {
      XCTAssertEqual("\($0)", "\(RxError.timeout)")
    }
  }

  func testABlockOfTheMainQueueCannotWait() {
    let done = expectation(description: "done")
    DispatchQueue.main.async {
      let later = Observable.just(1).observe(on: MainScheduler.asyncInstance)
      let result = later.toBlocking().materialize()
      if case .failed(let elements, BlockingError.insideMainQueue) = result {
        XCTAssertEqual(elements, [])
      } else {
        XCTFail("\(result)")
      }
      done.fulfill()
    }
    wait(for: [done], timeout: 60)
  }
}
