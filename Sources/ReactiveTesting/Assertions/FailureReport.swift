import Compose
import Foundation

// A build with the static standard library does not have the module.
#if canImport(Testing)
internal import Testing
#endif

/// Fails the running test, of Swift Testing or of XCTest.
///
/// When a test of Swift Testing is current, the failure is reported to Swift Testing only.
/// Otherwise the caller is an XCTest, or a task that is detached from its Swift Testing test: the
/// failure is reported to both libraries, and the one without a running test ignores it. Without
/// XCTest in the process the message is also written to standard error.
func reportFailure(_ message: String, file: StaticString, line: UInt) {
  let message = message.withoutAddresses
  #if canImport(Testing)
  // Folder and file name. That equals `#fileID` when the folder has the module's name.
  let path = "\(file)".split(separator: "/").suffix(2)
  let location = SourceLocation(
    fileID: (path.count == 1 ? ["_"] + path : path).joined(separator: "/"),
    filePath: "\(file)",
    line: Int(line),
    column: 1
  )
  Issue.record(Comment(rawValue: message), sourceLocation: location)
  if Test.current != nil { return }
  #endif
  if failXCTest(message, file, line) { return }
  FileHandle.standardError.write(Data("\(file):\(line): \(message)\n".utf8))
}

/// Fails the running test for a dependency that no composer of a test has read.
///
/// `RunningTest` finds it by its name.
enum FailureReporter: TestFailureReporter {
  static func report(_ message: String) { reportFailure(message, file: #filePath, line: #line) }
}

/// Calls `XCTFail`; false when XCTest is not loaded.
///
/// The function is looked up at run time, so that executables without tests need not link XCTest.
private func failXCTest(_ message: String, _ file: StaticString, _ line: UInt) -> Bool {
  typealias XCTFail = @convention(thin) (String, StaticString, UInt) -> Void
  let name = "$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF"
  guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else { return false }
  unsafeBitCast(symbol, to: XCTFail.self)(message, file, line)
  return true
}
