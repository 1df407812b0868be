import Reactive

// Named as XCTest names them, and preferred to its own as they are more special. They work in tests of
// both libraries, and fail with a list that marks the first difference.

/// Fails the test unless both lists have equal events; errors are equal when their descriptions are.
///
/// - Parameters:
///   - got: what was received.
///   - expected: what it must be.
public func XCTAssertEqual<Element: Equatable>(
  _ got: [Event<Element>],
  _ expected: [Event<Element>],
  file: StaticString = #filePath,
  line: UInt = #line
) {
  assertEqual(got, expected, file, line) { $0 == $1 }
}

/// Fails the test unless both lists have equal events at equal times; errors are equal when their
/// descriptions are.
///
/// ```swift
/// XCTAssertEqual(observer.events, [.next(210, 1), .completed(250)])
/// ```
///
/// - Parameters:
///   - got: what was received.
///   - expected: what it must be.
public func XCTAssertEqual<Element: Equatable>(
  _ got: [Recorded<Event<Element>>],
  _ expected: [Recorded<Event<Element>>],
  file: StaticString = #filePath,
  line: UInt = #line
) {
  assertEqual(got, expected, file, line) { $0 == $1 }
}

/// Fails the test unless both lists have equal results; errors are equal when their descriptions are.
///
/// - Parameters:
///   - got: what was received.
///   - expected: what it must be.
public func XCTAssertEqual<Element: Equatable>(
  _ got: [SingleEvent<Element>],
  _ expected: [SingleEvent<Element>],
  file: StaticString = #filePath,
  line: UInt = #line
) {
  assertEqual(got, expected, file, line) {
    switch ($0, $1) {
    case (.success(let got), .success(let expected)): got == expected
    case (.failure(let got), .failure(let expected)): "\(got)" == "\(expected)"
    default: false
    }
  }
}

/// Fails the test unless both lists have equal ends; errors are equal when their descriptions are.
///
/// - Parameters:
///   - got: what was received.
///   - expected: what it must be.
public func XCTAssertEqual<Element: Equatable>(
  _ got: [MaybeEvent<Element>],
  _ expected: [MaybeEvent<Element>],
  file: StaticString = #filePath,
  line: UInt = #line
) {
  assertEqual(got, expected, file, line) { $0 == $1 }
}

/// Fails the test unless `stream` has these elements, whenever they came, and neither a completion nor
/// an error.
///
/// - Parameters:
///   - stream: what was received.
///   - elements: what its elements must be.
public func XCTAssertRecordedElements<Element: Equatable>(
  _ stream: [Recorded<Event<Element>>],
  _ elements: [Element],
  file: StaticString = #filePath,
  line: UInt = #line
) {
  if let end = stream.first(where: \.value.isStopEvent) {
    return reportFailure("Expected elements only, got \(end).", file: file, line: line)
  }
  assertEqual(stream.compactMap(\.value.element), elements, file, line) { $0 == $1 }
}

private func assertEqual<Entry>(
  _ got: [Entry],
  _ expected: [Entry],
  _ file: StaticString,
  _ line: UInt,
  by areEqual: (Entry, Entry) -> Bool
) {
  guard let message = differences(got, expected, by: areEqual) else { return }
  reportFailure(message, file: file, line: line)
}
