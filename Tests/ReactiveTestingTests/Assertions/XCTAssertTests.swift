import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct XCTAssertTests {
  private struct Failure: Error {}

  @Test func `XCTAssertEqual and XCTAssertRecordedElements pass for equal lists`() {
    let failure = Failure()
    XCTAssertEqual([Event.next(1), .error(failure)], [.next(1), .error(failure)])
    XCTAssertEqual([Event.next(1), .completed], [.next(1), .completed])
    XCTAssertEqual([.next(nil), .next(1)] as [Event<Int?>], [.next(nil), .next(1)])
    XCTAssertEqual([Recorded.next(1, 1), .completed(2)], [.next(1, 1), .completed(2)])
    XCTAssertEqual([Recorded<Event<Int?>>.next(1, nil)], [.next(1, nil)])
    XCTAssertEqual([SingleEvent.success(1), .failure(failure)], [.success(1), .failure(failure)])
    XCTAssertEqual([MaybeEvent.success(1), .completed], [.success(1), .completed])
    XCTAssertEqual([CompletableEvent.completed, .error(failure)], [.completed, .error(failure)])
    XCTAssertRecordedElements([.next(1, 1), .next(9, 2)], [1, 2])
  }

  @Test func `XCTAssertEqual fails for unequal events`() {
    fails(">", "next(2)", "next(3)") { XCTAssertEqual([Event.next(2)], [.next(3)]) }
    fails("completed", "error(Failure())") {
      XCTAssertEqual([Event<Int>.completed], [.error(Failure())])
    }
    fails("next(nil)", "next(Optional(1))") { XCTAssertEqual([Event<Int?>.next(nil)], [.next(1)]) }
  }

  @Test func `XCTAssertEqual fails for records at different times`() {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(250)])
    let observer = scheduler.start { source }
    XCTAssertEqual(observer.events, [.next(210, 1), .next(220, 2), .completed(250)])
    XCTAssertEqual(observer.events, Recorded.events(.next(210, 1), .next(220, 2), .completed(250)))
    fails("index 1", "> got       next(2) @ 220", "expected  next(2) @ 221") {
      XCTAssertEqual(observer.events, [.next(210, 1), .next(221, 2), .completed(250)])
    }
    fails("index 2", "expected  nothing") {
      XCTAssertEqual(observer.events, [.next(210, 1), .next(220, 2)])
    }
    fails("Optional(2)", "nil") {
      XCTAssertEqual([Recorded<Event<Int?>>.next(1, 2)], [.next(1, nil)])
    }
  }

  @Test func `XCTAssertEqual fails for unequal results`() {
    fails("success(1)", "success(2)") {
      XCTAssertEqual([SingleEvent<Int>.success(1)], [SingleEvent<Int>.success(2)])
    }
    fails("success(1)", "Failure") {
      XCTAssertEqual([SingleEvent<Int>.success(1)], [SingleEvent<Int>.failure(Failure())])
    }
  }

  @Test func `XCTAssertEqual fails for unequal events of traits`() {
    fails("success(1)", "success(2)") {
      XCTAssertEqual([MaybeEvent.success(1)], [MaybeEvent.success(2)])
    }
    fails("completed", "Failure") {
      XCTAssertEqual([MaybeEvent<Int>.completed], [MaybeEvent<Int>.error(Failure())])
    }
    fails("completed", "Failure") {
      XCTAssertEqual([CompletableEvent.completed], [.error(Failure())])
    }
  }

  @Test func `XCTAssertRecordedElements compares elements without times and fails for an end`() {
    fails("index 1", "got       3", "expected  2") {
      XCTAssertRecordedElements([.next(1, 1), .next(9, 3)], [1, 2])
    }
    fails("elements only", "completed @ 9") {
      XCTAssertRecordedElements([.next(1, 1), .completed(9)], [1])
    }
    fails("elements only", "error(Failure()) @ 9") {
      XCTAssertRecordedElements([.next(1, 1), .error(9, Failure())], [1])
    }
  }

  /// Expects that `body` fails the test once with a message that contains all of `parts`.
  private func fails(
    _ parts: String...,
    sourceLocation: SourceLocation = #_sourceLocation,
    by body: () -> Void
  ) {
    withKnownIssue(sourceLocation: sourceLocation) {
      body()
    } matching: { issue in
      let message = issue.comments.map(\.rawValue).joined()
      return parts.allSatisfy(message.contains)
    }
  }
}
