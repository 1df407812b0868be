import Foundation

/// Runs a program; returns its standard output and standard error, and its exit status.
public func printed(by program: URL, _ arguments: [String]) throws -> (text: String, status: Int32)
{
  let (process, output) = (Process(), Pipe())
  process.executableURL = program
  process.arguments = arguments
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
}
