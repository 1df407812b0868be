import Foundation
import Reactive
import TestSupport
import Testing

@Suite("JSONDecoder of foreign texts", .workerPool)
struct JSONDecoderForeignTextTests {
  @Test(arguments: [1, 512, 513, 514, 100_000])
  func `a text that ends with an opening bracket is an error, not a trap`(_ level: Int) {
    for bracket in ["[", "{\"a\":["] {
      let text = String(repeating: bracket, count: level)
      for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf32LittleEndian] {
        let data = text.data(using: encoding) ?? Data()
        #expect(throws: DecodingError.self) {
          try JSONDecoder().decode([[Int]].self, fromForeign: data)
        }
      }
    }
  }

  @Test func `other texts are decoded as ever`() throws {
    #expect(try JSONDecoder().decode([Int].self, fromForeign: Data("[1, 2]".utf8)) == [1, 2])
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([Int].self, fromForeign: Data())
    }
  }
}
