import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite(.workerPool)
struct ActionDecoderTests {
  private func parse(_ text: String) throws -> AnyJSON {
    try AnyJSON(parsing: text)
  }

  /// The message of the error of decoding `text`; nil if it is an action.
  private func message<Action: Sendable>(_ type: Action.Type, _ text: String) throws -> String? {
    let json = try parse(text)
    do {
      _ = try ActionDecoder.action(type, from: json)
      return nil
    } catch {
      return error.message
    }
  }

  @Test func `an action is created from its JSON`() throws {
    let action = try ActionDecoder.action(Search.self, from: parse(#"{"open": {"id": 7}}"#))
    #expect(action == .open(id: 7))
    #expect(try ActionDecoder.action(Color.self, from: .string("green")) == .green)
    #expect(try ActionDecoder.action(Search?.self, from: .null) == nil)
    let big = try ActionDecoder.action(UInt64.self, from: .unsigned(.max))
    #expect(big == .max)
  }

  @Test func `a type that is not Decodable is named with what it needs`() throws {
    #expect(throws: ActionProblem.notDecodable(type: "Bare")) {
      try ActionDecoder.action(Bare.self, from: .string("one"))
    }
    #expect(throws: ActionProblem.notDecodable(type: "Array<Bare>")) {
      try ActionDecoder.action([Bare].self, from: .array([]))
    }
    #expect(
      try message(Bare.self, "1") == """
        Bare cannot be created from JSON: conform Bare to Codable. \
        An enum needs the conformance also when its cases have no associated values.
        """)
  }

  @Test(arguments: [
    (#"{"open": {"id": "x"}}"#, "open.id: expected Int, found a string"),
    (#"{"open": {"id": null}}"#, "open.id: expected Int, found null"),
    (#"{"open": {"id": [1]}}"#, "open.id: expected Int, found a list"),
    (#"{"open": {}}"#, "open.id: the value is missing"),
    (#"{"open": 3}"#, "open: expected an object, found a number"),
    (#"{"list": {"_0": {}}}"#, "list._0: expected a list, found an object"),
    (#"{"list": {"_0": [1, 2, true]}}"#, "list._0[2]: expected Int, found a Boolean"),
    (
      #"{"list": {"_0": [], "byName": {"0": "x"}}}"#,
      "list.byName.0: expected Int, found a string"
    ),
  ])
  func `a wrong value is reported with its path`(text: String, expected: String) throws {
    #expect(try message(Search.self, text) == expected)
  }

  @Test func `an unknown case is reported with those that exist`() throws {
    let cases = "; its cases are open, edit, list, add, typed, refresh"
    #expect(try message(Search.self, #"{"opne": {}}"#) == "Search has no case opne" + cases)
    #expect(try message(Search.self, "{}") == "expected one case of Search, found 0" + cases)
    #expect(
      try message(Search.self, #"{"open": {"id": 1}, "refresh": {}}"#)
        == "expected one case of Search, found 2" + cases)
    #expect(
      try message(Search.self, #""refresh""#)
        == #"expected an object, found a string; a case is an object, also without values: {"refresh": {}}"#
        + cases)
    #expect(try message(Search.self, #""refrech""#) == "expected an object, found a string" + cases)
    #expect(
      try message(Nested.self, #"{"search": {"_0": {"reopen": {}}}}"#)
        == "search._0: Search has no case reopen" + cases)
    #expect(
      try message(Color.self, #""blue""#)?.hasSuffix("; its cases are red, green") == true)
  }

  @Test func `a number that does not fit is reported`() throws {
    for number in ["1.5", "18446744073709551615", "1e300"] {
      let message = try message(Search.self, #"{"open": {"id": \#(number)}}"#)
      #expect(message?.contains("does not fit") == true, "\(message ?? "")")
    }
  }

  @Test func `an error of the type's own decoding is reported with its text`() throws {
    #expect(
      try message(Refusing.self, #"{"mail": {"_0": {"address": "x"}}}"#)
        == "mail._0.address: The address has no @.")
    #expect(try message(Silent.self, "{}")?.contains("Refused()") == true)
  }

  @Test func `messages stay short whatever the JSON has`() throws {
    let name = String(repeating: "\u{1F468}\u{200D}", count: 100_000)
    let texts = [
      "{\"\(name)\": {}}",
      "{\"list\": {\"_0\": [], \"byName\": {\"\(name)\": true}}}", "\"\(name)\"",
    ]
    for text in texts {
      let search = try #require(try message(Search.self, text))
      #expect(search.unicodeScalars.count < 1_100)
      #expect(try message(Color.self, text).map { $0.unicodeScalars.count < 1_100 } == true)
    }
  }

  @Test func `JSON as deep as allowed is decoded by a recursive action`() throws {
    // Each node takes two levels, and each leaf two more.
    var json: AnyJSON = .object(["leaf": .object([:])])
    for _ in 0..<(AnyJSON.deepestLevel / 2 - 1) {
      json = .object(["node": .object(["_0": json, "_1": .object(["leaf": .object([:])])])])
    }
    let text = String(decoding: try JSONEncoder().encode(json), as: UTF8.self)
    _ = try ActionDecoder.action(Tree.self, from: parse(text))
  }

  @Test func `values that JSON cannot have are errors`() {
    #expect(throws: ActionProblem.self) {
      try ActionDecoder.action(Double.self, from: .number(.infinity))
    }
  }
}

private typealias Color = ActionTemplateTests.Color
private typealias Nested = ActionTemplateTests.Nested
private typealias Refusing = ActionTemplateTests.Refusing
private typealias Search = ActionTemplateTests.Search
private typealias Silent = ActionTemplateTests.Silent
private typealias Tree = ActionTemplateTests.Tree

private enum Bare: Sendable { case one, two }
