/// The file and line of a call in a test, where failures are reported.
struct TestLocation: Sendable {
  let file: StaticString
  let line: UInt

  func fail(_ message: String) { reportFailure(message, file: file, line: line) }
}
