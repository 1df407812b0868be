import Compose
import ReactiveTesting
import XCTest

final class TestComposerXCTests: XCTestCase {
  func testAComposerIsTestedInXCTestToo() {
    let test = TestComposer(Search(api: .stub))
    test.send(.query("a")) {
      $0.query = "a"
      $0.isLoading = true
    }
    test.advance(by: .seconds(2))
    test.receive(Search.Action.loaded) {
      $1.results = $0
      $1.isLoading = false
    }
    test.finish()
  }

  #if !canImport(Darwin)
  private var failures: [(message: String, line: Int)]?

  override func recordFailure(
    withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
    expected: Bool
  ) {
    if failures == nil {
      super.recordFailure(
        withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
    } else {
      failures?.append((description, lineNumber))
    }
  }

  func testXCTestIsToldWhatFailsAndWhere() {
    failures = []
    let test = TestComposer(ClosureComposer { _, _, _ in .interval(.none, period: .seconds(1)) })
    test.send(.go) { $0.count = 2 }
    test.receive(.tick)
    test.finish()
    let line = #line - 1
    let now: () -> Int = unimplemented("Api.now", placeholder: 0)
    _ = now()
    let caught = failures ?? []
    failures = nil
    XCTAssertEqual(caught.map(\.line), [line - 2, line - 1, line, line + 2])
    let parts = ["expected 2, got 1", "tick was not received", "1 effect still runs", "Api.now"]
    for (failure, part) in zip(caught, parts) { XCTAssertTrue(failure.message.contains(part)) }
  }
  #endif
}
