import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite(.workerPool)
struct ActionTemplateTests {
  /// Expects a template that `JSONDecoder` decodes, and returns the decoded action.
  private func decoded<Action: Decodable>(
    _ type: Action.Type, _ name: String, _ json: AnyJSON
  ) throws -> Action {
    let template = try #require(ActionTemplate.template(of: type, caseNamed: name))
    #expect(template.action == json)
    return try JSONDecoder().decode(type, from: JSONEncoder().encode(template.action))
  }

  @Test func `a case has its associated values as placeholders`() throws {
    #expect(try decoded(Search.self, "refresh", .object(["refresh": .object([:])])) == .refresh)
    #expect(
      try decoded(Search.self, "open", .object(["open": .object(["id": .integer(0)])]))
        == .open(id: 0))
    #expect(
      try decoded(
        Search.self, "edit",
        .object(["edit": .object(["_0": .string(""), "isDone": .bool(false), "note": .null])]))
        == .edit("", isDone: false, note: nil))
    #expect(
      try decoded(
        Search.self, "list",
        .object([
          "list": .object(["_0": .array([]), "byName": .object([:]), "byID": .object([:])])
        ])) == .list([], byName: [:], byID: [:]))
  }

  @Test func `structs, numbers and optionals inside are filled too`() throws {
    let item: AnyJSON = .object([
      "id": .integer(0), "title": .string(""), "parent": .null, "tags": .array([]),
      "rate": .integer(0), "size": .integer(0), "children": .array([]),
    ])
    let action = try decoded(Search.self, "add", .object(["add": .object(["_0": item])]))
    guard case .add(let added) = action else {
      Issue.record("\(action)")
      return
    }
    #expect(added == Item(id: 0, title: "", rate: 0, size: 0))
  }

  @Test func `types of Foundation have placeholders that decode`() throws {
    let json: AnyJSON = .object([
      "at": .integer(0), "id": .string("00000000-0000-4000-8000-000000000000"),
      "link": .string("https://example.com"), "data": .string(""), "price": .integer(0),
      "range": .array([.integer(0), .integer(0)]), "wait": .array([.integer(0), .integer(0)]),
    ])
    let action = try decoded(Search.self, "typed", .object(["typed": .object(["_0": json])]))
    guard case .typed(let typed) = action else {
      Issue.record("\(action)")
      return
    }
    #expect(typed.link.absoluteString == "https://example.com")
    #expect(typed.range == 0..<0)
  }

  @Test func `a nested enum has the first case that can be decoded`() throws {
    #expect(
      try decoded(Nested.self, "sort", .object(["sort": .object(["_0": .string("created_at")])]))
        == .sort(.newest))
    #expect(
      try decoded(Nested.self, "level", .object(["level": .object(["_0": .integer(1)])]))
        == .level(.low))
    #expect(
      try decoded(Nested.self, "color", .object(["color": .object(["_0": .string("red")])]))
        == .color(.red))
    #expect(
      try decoded(
        Nested.self, "search",
        .object([
          "search": .object(["_0": .object(["open": .object(["id": .integer(0)])])])
        ])) == .search(.open(id: 0)))
    #expect(
      try decoded(
        Nested.self, "picky",
        .object(["picky": .object(["_0": .object(["accepted": .object([:])])])]))
        == .picky(.accepted))
  }

  @Test func `an enum with raw values is a template by the name of its case`() throws {
    #expect(try decoded(Sort.self, "oldest", .string("created_at desc")) == .oldest)
    #expect(try decoded(Color.self, "green", .string("green")) == .green)
    #expect(try decoded(Small.self, "two", .integer(1)) == .two)
  }

  @Test func `types that contain themselves end`() throws {
    let leaf: AnyJSON = .object(["leaf": .object([:])])
    #expect(
      try decoded(Tree.self, "node", .object(["node": .object(["_0": leaf, "_1": leaf])]))
        == .node(.leaf, .leaf))
    let link: AnyJSON = .object(["end": .object([:])])
    _ = try decoded(Chain.self, "link", .object(["link": .object(["_0": link])]))
    #expect(ActionTemplate.template(of: Endless.Again.self, caseNamed: "again") != nil)
    #expect(ActionTemplate.template(of: Growing<Int>.self, caseNamed: "grow") != nil)
    #expect(ActionTemplate.template(of: Knot.self, caseNamed: "a") != nil)
  }

  @Test func `a template names the cases of the enums inside it, which can be chosen`() throws {
    func template(_ cases: [[String]: String]) throws -> Template {
      try #require(ActionTemplate.template(of: Outer.self, caseNamed: "row", choosing: cases))
    }
    let row = ["row", "_1"]
    let first = try template([:])
    #expect(first.action == ["row": ["_0": 0, "_1": ["rename": ["_0": ""]]]])
    #expect(first.choices.map(\.path) == [row])
    #expect(first.choices.map(\.name) == ["rename"])
    #expect(first.choices.map(\.names) == [["rename", "mark", "remove"]])

    #expect(try template([row: "remove"]).action == ["row": ["_0": 0, "_1": ["remove": [:]]]])
    let mark = ["row", "_1", "mark", "as"]
    let marked = try template([row: "mark", mark: "low"])
    #expect(marked.action == ["row": ["_0": 0, "_1": ["mark": ["as": "low"]]]])
    #expect(marked.choices.map(\.path) == [row, mark])
    #expect(marked.choices.map(\.name) == ["mark", "low"])
    // A case that does not exist is the first one.
    #expect(try template([row: "none", ["row"]: "mark"]).action == first.action)
  }

  private enum Outer: Codable { case row(Int, Inner) }
  private enum Inner: Codable { case rename(String), mark(as: Mark), remove }
  private enum Mark: String, Codable { case high, low }

  @Test func `an action decoded by hand has its case by key or by kind`() throws {
    #expect(try decoded(ByKey.self, "open", .object(["open": .integer(0)])) == .open(0))
    #expect(try decoded(ByKey.self, "close", .object(["close": .bool(false)])) == .close)
    #expect(
      try decoded(ByKind.self, "open", .object(["kind": .string("open"), "id": .integer(0)]))
        == .open(0))
    #expect(try decoded(ByKind.self, "close", .object(["kind": .string("close")])) == .close)
    #expect(
      try decoded(ByText.self, "open", .object(["type": .string("open"), "id": .integer(0)]))
        == .open(0))
    #expect(try decoded(ByText.self, "other", .object(["type": .string("")])) == .other)
  }

  @Test func `a type that refuses placeholders has what was recorded`() {
    #expect(
      ActionTemplate.template(of: Refusing.self, caseNamed: "mail")?.action
        == .object(["mail": .object(["_0": .object(["address": .string("")])])]))
    #expect(ActionTemplate.template(of: Silent.self, caseNamed: "never") == nil)
    #expect(ActionTemplate.template(of: Greedy.self, caseNamed: "all") != nil)
  }

  @Test func `no template exists for an unknown case or a renamed key`() {
    #expect(ActionTemplate.template(of: Search.self, caseNamed: "nothing") == nil)
    #expect(ActionTemplate.template(of: Search.self, caseNamed: "") == nil)
    #expect(ActionTemplate.template(of: Never.self, caseNamed: "open") == nil)
    #expect(ActionTemplate.template(of: Renamed.self, caseNamed: "open") == nil)
    #expect(ActionTemplate.template(of: Renamed.self, caseNamed: "close") != nil)
  }

  @Test func `a case whose name has spaces has a template`() throws {
    #expect(
      try decoded(Spaced.self, "go home", .object(["go home": .object(["_0": .integer(0)])]))
        == .`go home`(0))
    #expect(try decoded(Spaced.self, "go on", .object(["go on": .object([:])])) == .`go on`)
  }

  @Test func `classes and super decoders are recorded`() throws {
    let json: AnyJSON = .object([
      "object": .object([
        "_0": .object(["title": .string(""), "super": .object(["id": .integer(0)])])
      ])
    ])
    guard case .object(let child) = try decoded(Classes.self, "object", json) else { return }
    #expect(child.id == 0)
  }
}
