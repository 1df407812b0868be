import Foundation

// Absent from a build with the static standard library, which thus has nothing to link.
#if canImport(Testing)
internal import Testing
#endif

/// Fails the test that is running, whichever library runs it.
///
/// That is Swift Testing when a test is current. Otherwise it is XCTest or, in a task that is detached
/// from its test, Swift Testing again: both are told, and the one that runs nothing ignores it.
/// Without XCTest in the process the message goes to standard error too.
func reportFailure(_ message: String, file: StaticString, line: UInt) {
  #if canImport(Testing)
  // The folder and the name: what `#fileID` is as well, if the folder is named after the module.
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

/// Calls `XCTFail`; false when XCTest is not loaded.
///
/// Looked up rather than linked: an executable that is no test does without XCTest.
private func failXCTest(_ message: String, _ file: StaticString, _ line: UInt) -> Bool {
  typealias XCTFail = @convention(thin) (String, StaticString, UInt) -> Void
  let name = "$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF"
  guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else { return false }
  unsafeBitCast(symbol, to: XCTFail.self)(message, file, line)
  return true
}
