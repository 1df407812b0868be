import Foundation

/// The function that libFuzzer calls for each input.
///
/// All fuzzers are one program; the name of the link that starts it selects the fuzzer.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzzer(FuzzInput(start, count))
  return 0
}

private let fuzzer: @Sendable (FuzzInput) -> Void = {
  switch CommandLine.arguments[0].split(separator: "/").last {
  case "connection": fuzzConnection
  case "handshake": fuzzHandshake
  case "inflate": fuzzInflate
  case "requests": fuzzRequests
  case "forwarded": fuzzForwarded
  case let name: fatalError("\(name ?? "") is none of the fuzzers")
  }
}()

/// The input of a fuzzer, read from its start: decisions first, then the bytes under test.
struct FuzzInput {
  private var bytes: UnsafeRawBufferPointer

  init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    bytes = UnsafeRawBufferPointer(start: start, count: count)
  }

  mutating func byte() -> UInt8 {
    guard let first = bytes.first else { return 0 }
    bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    return first
  }

  /// The remaining bytes.
  var rest: [UInt8] { [UInt8](bytes) }
}

extension Array where Element == UInt8 {
  /// The bytes in reads of a size that depends on `seed`: all at once, one by one, and between.
  func split(by seed: UInt8) -> [ArraySlice<UInt8>] {
    guard seed > 0 else { return [self[...]] }
    return stride(from: 0, to: count, by: Int(seed)).map {
      self[$0..<Swift.min($0 + Int(seed), count)]
    }
  }
}

/// Ends the run: libFuzzer writes the input to a file.
func require(_ condition: Bool, _ what: @autoclosure () -> String, line: UInt = #line) {
  if !condition { fatalError("line \(line): \(what())") }
}

let fixedKeys: RandomBytes = { room in for index in room.indices { room[index] = 0x5A } }
