import Foundation
import ActionCable
import TestSupport
import Testing

@Suite(.workerPool) struct JSONValueTests {
  @Test func `C27: any JSON value is read, and a missing value is nil`() throws {
    let text = #"{"type":"a","data":[1,2.5,true,null,"x",{"deep":-1e3}],"big":9007199254740993}"#
    let message = try JSONValue(parsing: text)
    #expect(message["type"] == "a")
    #expect(message["data"]?[0]?.integer == 1)
    #expect(message["data"]?[1]?.number == 2.5)
    #expect(message["data"]?[2]?.bool == true)
    #expect(message["data"]?[3]?.isNull == true)
    #expect(message["data"]?[4]?.string == "x")
    #expect(message["data"]?[5]?["deep"]?.number == -1000)
    #expect(message["big"] == 9_007_199_254_740_993)
    // Not the whole message, as in other libraries.
    #expect(message["text"] == nil)
    #expect(message["data"]?[6] == nil)
    #expect(message["type"]?["type"] == nil)
    #expect(message["type"]?[0] == nil)
    for value in ["null", "true", "\"\"", "[]", "{}", "0", "-1.5"] {
      #expect(try JSONValue(parsing: value).text == value)
    }
  }

  @Test func `a JSON value has one spelling: sorted names, no spaces, minimal escapes`() throws {
    let value: JSONValue = [
      "b": [1, 2.5, nil, true], "a": "é/\"\\\n\r\t\u{7}\u{2028}", "c": .number(.infinity),
    ]
    let text = #"{"a":"é/\"\\\n\r\t\u0007"# + "\u{2028}" + #"","b":[1,2.5,null,true],"c":null}"#
    #expect(value.text == text)
    #expect(try JSONValue(parsing: text).text == text)
    #expect("\(value)" == text)
  }

  @Test func `a JSON value converts to a Codable type and back`() throws {
    struct Chat: Codable, Equatable {
      var id: Int
      var at: Date
    }
    let chat = Chat(id: 7, at: Date(timeIntervalSince1970: 0))
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let value = try JSONValue(encoding: chat, using: encoder)
    #expect(value == ["id": 7, "at": "1970-01-01T00:00:00Z"])
    #expect(try value.decode(Chat.self, using: decoder) == chat)
    #expect(throws: DecodingError.self) { try value.decode([Chat].self) }
    #expect(try JSONEncoder().encode(value).count == value.text.utf8.count)
  }

  @Test func `a number that JSON does not have is null, also for an encoder`() throws {
    let value: JSONValue = [2.5, .number(.infinity), .number(.nan)]
    #expect(try JSONEncoder().encode(value) == Data("[2.5,null,null]".utf8))
  }

  @Test(arguments: ["", "{", "nul", "[1", #"{"a"}"#, "\"\u{1}\"", #""\ud800""#])
  func `text that is not JSON is an error`(text: String) {
    #expect(throws: DecodingError.self) { try JSONValue(parsing: text) }
  }

  @Test func `JSON that is nested too deep is an error, not a trap`() {
    let text = String(repeating: "[", count: 100_000)
    #expect(throws: DecodingError.self) { try JSONValue(parsing: text) }
    let objects = String(repeating: #"{"a":"#, count: 100_000)
    #expect(throws: DecodingError.self) { try JSONValue(parsing: objects) }
  }
}
