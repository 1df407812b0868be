import Foundation
import Testing

/// A file with the duration of each test without its wait for a thread: `TEST_TIMES=path`.
///
/// Each case has a line: milliseconds, a tab, the name of the test.
final class TestTimes: @unchecked Sendable {
  static let shared = ProcessInfo.processInfo.environment["TEST_TIMES"].flatMap(TestTimes.init)

  // Lines are appended under `lock`.
  private let file: FileHandle
  private let lock = NSLock()

  private init?(path: String) {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { return nil }
    self.file = file
  }

  func record(_ duration: Duration, of test: Test) {
    let milliseconds = Int(duration / .milliseconds(1))
    let line = Data("\(milliseconds)\t\(test.id)\n".utf8)
    lock.withLock { file.write(line) }
  }
}
