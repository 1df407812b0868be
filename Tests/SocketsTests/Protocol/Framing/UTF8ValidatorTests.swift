import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct UTF8ValidatorTests {
  /// Whether the validator accepts the pieces as one complete text.
  private func accepts(_ pieces: [UInt8]...) -> Bool {
    var validator = UTF8Validator()
    let isValid = pieces.allSatisfy { $0.withUnsafeBytes { validator.accept($0) } }
    return isValid && validator.isComplete
  }

  /// The number of bytes after which the validator fails; nil if it does not fail.
  private func failure(in bytes: [UInt8]) -> Int? {
    var validator = UTF8Validator()
    return bytes.firstIndex { byte in !withUnsafeBytes(of: byte) { validator.accept($0) } }
      .map { $0 + 1 }
  }

  @Test func `every Unicode scalar is valid UTF-8, whole and split`() {
    // All of them take a minute under a sanitizer.
    let values = stride(from: UInt32(0), through: 0x10FFFF, by: isSanitized ? 17 : 1)
    for scalar in values.lazy.compactMap(Unicode.Scalar.init) {
      let bytes = Array(String(scalar).utf8)
      guard failure(in: bytes) == nil, accepts(bytes) else {
        Issue.record("U+\(String(scalar.value, radix: 16)) is refused")
        return
      }
    }
  }

  @Test func `RFC 3629: validation of all two-byte sequences agrees with the standard library`() {
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max {
        let bytes = [first, second]
        let expected = String(validating: bytes, as: UTF8.self) != nil
        guard accepts(bytes) == expected, accepts([first], [second]) == expected else {
          Issue.record("\(bytes) should be \(expected ? "valid" : "invalid")")
          return
        }
      }
    }
  }

  @Test(
    arguments: [
      ([0x80], 1),  // a continuation without a beginning
      ([0xBF], 1),
      ([0xC0, 0x80], 1),  // overlong
      ([0xC1, 0xBF], 1),
      ([0xC2, 0x41], 2),  // cut short
      ([0xE0, 0x9F, 0xBF], 2),  // overlong
      ([0xE1, 0x80, 0xC0], 3),
      ([0xED, 0xA0, 0x80], 2),  // surrogates, U+D800
      ([0xED, 0xBF, 0xBF], 2),
      ([0xF0, 0x8F, 0xBF, 0xBF], 2),  // overlong
      ([0xF1, 0x80, 0x80, 0x7F], 4),
      ([0xF4, 0x90, 0x80, 0x80], 2),  // U+110000
      ([0xF5, 0x80, 0x80, 0x80], 1),
      ([0xFE], 1),
      ([0xFF], 1),
    ] as [([UInt8], Int)]
  )
  func `RFC 3629: a wrong byte is found at once at any position`(bytes: [UInt8], place: Int) {
    #expect(failure(in: bytes) == place)
    for padding in [0, 1, 15, 16, 31, 32, 33, 100] {
      let text =
        [UInt8](repeating: 0x61, count: padding) + bytes + [UInt8](repeating: 0x61, count: 40)
      for (head, tail) in text.splits where accepts(head, tail) {
        Issue.record("accepted with \(padding) bytes before, split at \(head.count)")
      }
    }
  }

  @Test func `valid text is valid at every split`() {
    let text = Array("κόσμε ascii that is longer than thirty-two bytes ¢ह한𐍈\u{10FFFF}\u{0}".utf8)
    for (head, tail) in text.splits {
      #expect(accepts(head, tail))
    }
  }

  @Test func `text that ends inside a code point is not complete`() {
    for scalar: Unicode.Scalar in ["é", "€", "😀"] {
      let bytes = Array(String(scalar).utf8)
      for count in 1..<bytes.count {
        #expect(!accepts(Array(bytes[..<count])))
        #expect(failure(in: Array(bytes[..<count])) == nil)
      }
    }
  }

  @Test func `ASCII is distinguished from other text`() {
    for (text, isASCII) in [("", true), (String(repeating: "a", count: 70), true), ("aé", false)] {
      var validator = UTF8Validator()
      #expect(Array(text.utf8).withUnsafeBytes { validator.accept($0) })
      #expect(validator.isASCII == isASCII)
    }
  }

  @Test func `validation of random bytes agrees with the standard library`() {
    var generator = SeededGenerator(seed: 3629)
    // Mostly lead and continuation bytes, so that some of the text is valid.
    let alphabet: [UInt8] = [
      0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC3, 0xE0, 0xED, 0xF0, 0xF4,
    ]
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        alphabet.randomElement(using: &generator) ?? 0
      }
      #expect(accepts(bytes) == (String(validating: bytes, as: UTF8.self) != nil))
    }
  }
}
