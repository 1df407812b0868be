import Reactive
import ReactiveTesting
import TestSupport
import Testing
import XCTest

@Suite(.workerPool) struct FailureReportTests {
  @Test func `a failure is reported to Swift Testing with its location`() {
    let line: UInt = #line + 2
    withKnownIssue {
      XCTAssertEqual([Recorded.next(1, 1)], [.next(2, 1)])
    } matching: { issue in
      issue.sourceLocation?.line == Int(line)
        && issue.sourceLocation?.fileName == "FailureReportTests.swift"
    }
  }

  @Test func `a reported failure has the location of the caller`() {
    withKnownIssue {
      XCTAssertEqual([Event.next(1)], [], file: "Elsewhere/Caller.swift", line: 7)
      XCTAssertEqual([Event.next(1)], [], file: "Caller.swift", line: 7)
    } matching: { issue in
      issue.sourceLocation?.line == 7 && issue.sourceLocation?.fileName == "Caller.swift"
    }
  }
}

/// Imports XCTest as well, whose own `XCTAssertEqual` would accept the same arguments.
final class FailureReportXCTests: XCTestCase {
  #if !canImport(Darwin)
  private var failures: [(message: String, line: Int)]?

  override func recordFailure(
    withDescription description: String,
    inFile filePath: String,
    atLine lineNumber: Int,
    expected: Bool
  ) {
    if failures == nil {
      super.recordFailure(
        withDescription: description,
        inFile: filePath,
        atLine: lineNumber,
        expected: expected
      )
    } else {
      failures?.append((description, lineNumber))
    }
  }

  func testXCTestIsToldWhereItFailed() {
    let scheduler = TestScheduler(initialClock: 0)
    let observer = scheduler.start { Observable.just(1) }
    XCTAssertEqual(observer.events, [.next(200, 1), .completed(200)])
    failures = []
    XCTAssertEqual(observer.events, [.next(200, 1)])
    XCTAssertRecordedElements(observer.events, [1])
    let line = #line - 2
    let caught = failures ?? []
    failures = nil
    XCTAssertEqual(caught.map(\.line), [line, line + 1])
    XCTAssertTrue(caught.first?.message.contains("> got       completed @ 200") == true)
    XCTAssertTrue(caught.last?.message.contains("elements only") == true)
  }
  #endif
}
