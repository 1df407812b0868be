import Reactive

// The names are XCTest's. The compiler prefers these overloads because they are more specialised.
// They work in tests of both libraries, and report a list in which the first difference is marked.

/// Fails the test unless both lists have equal events; errors are equal when their descriptions
/// are.
///
/// - Parameters:
///   - got: received values.
///   - expected: expected values.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
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
///   - got: received values.
///   - expected: expected values.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
public func XCTAssertEqual<Element: Equatable>(
  _ got: [Recorded<Event<Element>>],
  _ expected: [Recorded<Event<Element>>],
  file: StaticString = #filePath,
  line: UInt = #line
) {
  assertEqual(got, expected, file, line) { $0 == $1 }
}

/// Fails the test unless both lists have equal events of a `Single`; errors are equal when their
/// descriptions are.
///
/// - Parameters:
///   - got: received values.
///   - expected: expected values.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
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

/// Fails the test unless both lists have equal events of a `Maybe`; errors are equal when their
/// descriptions are.
///
/// - Parameters:
///   - got: received values.
///   - expected: expected values.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
public func XCTAssertEqual<Element: Equatable>(
  _ got: [MaybeEvent<Element>],
  _ expected: [MaybeEvent<Element>],
  file: StaticString = #filePath,
  line: UInt = #line
) {
  assertEqual(got, expected, file, line) { $0 == $1 }
}

/// Fails the test unless `stream` has exactly these elements, at any times, and no completion and
/// no error.
///
/// - Parameters:
///   - stream: recorded events.
///   - elements: expected elements.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
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
