import Compose
import TestSupport
import Testing

@testable import Inspector

@Suite("Values of recordings", .workerPool) struct RecordedValueTests {
  private let reader = ValueReader()

  private func lines(_ old: AnyJSON, _ new: AnyJSON) -> [String] {
    reader.changeLines(from: old.shown(as: "State"), to: new.shown(as: "State"), limit: 100).lines
  }

  private func changes(_ old: AnyJSON, _ new: AnyJSON) -> [ValueChange] {
    reader.changes(from: old.shown(as: "State"), to: new.shown(as: "State")).changes
  }

  @Test func `states are compared by paths`() {
    #expect(
      lines(
        ["count": 1, "place": ["city": "Rome", "zip": 1]],
        ["count": 2, "place": ["city": "Oslo", "zip": 1]])
        == ["count: 1 → 2", #"place.city: "Rome" → "Oslo""#])
    let changes = changes(["place": ["city": "Rome"]], ["place": ["city": "Oslo"]])
    #expect(changes.map(\.names) == [["place", "city"]])
    #expect(lines(["count": 1], ["count": 1]).isEmpty)
    #expect(lines(["count": 1], ["count": .number(1.5)]) == ["count: 1 → 1.5"])
  }

  @Test func `a property that is nil is left out of JSON, and changes like another one`() {
    let one: AnyJSON = ["count": 1]
    let other: AnyJSON = ["count": 1, "title": "Milk"]
    #expect(lines(one, other) == [#"title: nil → "Milk""#])
    #expect(lines(other, one) == [#"title: "Milk" → nil"#])
    #expect(lines(one, ["count": 1, "title": .null]).isEmpty)
  }

  @Test func `lists of objects with ids are compared by the ids`() {
    func rows(_ rows: (id: AnyJSON, title: AnyJSON)...) -> AnyJSON {
      ["rows": .array(rows.map { ["id": $0.id, "title": $0.title] })]
    }
    let old = rows((7, "Milk"), (8, "Tea"))
    #expect(lines(old, rows((7, "Milk"), (8, "Mate"))) == [#"rows[id: 8].title: "Tea" → "Mate""#])
    #expect(
      changes(old, rows((7, "Milk"), (8, "Mate"))).map(\.names) == [["rows", "id: 8", "title"]])
    #expect(lines(old, rows((8, "Tea"))) == ["rows: removed 7"])
    #expect(lines(old, rows((8, "Tea"), (7, "Milk"))) == ["rows: moved 8 from 1 to 0"])
    let added: AnyJSON = ["rows": [["id": 7, "title": "Milk"], ["id": "x", "title": "Tea"]]]
    #expect(lines(rows((7, "Milk")), added) == [#"rows: added x at 1: (id: "x", title: "Tea")"#])
    // An element with a property that the other one has not.
    let done: AnyJSON = ["rows": [["id": 7, "title": "Milk", "isDone": true]]]
    #expect(lines(rows((7, "Milk")), done) == ["rows[id: 7].isDone: nil → true"])
    // Ids that occur twice identify nothing.
    let twice = rows((7, "Milk"), (7, "Tea"))
    #expect(lines(twice, rows((7, "Milk"), (7, "Mate"))) == [#"rows[1].title: "Tea" → "Mate""#])
  }

  @Test func `lists without ids are compared by their positions`() {
    #expect(lines(["sizes": [1, 2]], ["sizes": [1, 3]]) == ["sizes[1]: 2 → 3"])
    #expect(lines(["sizes": [1, 2]], ["sizes": [1, 2, 3]]) == ["sizes: added at 2: 3"])
    #expect(lines(["sizes": [[1], [2]]], ["sizes": [[1], [3]]]).count == 1)
  }

  @Test func `cases of enums are shown as such`() {
    let loading: AnyJSON = ["phase": ["loading": ["_0": 1]]]
    #expect(lines(loading, ["phase": ["loading": ["_0": 2]]]) == ["phase.loading: 1 → 2"])
    #expect(lines(["phase": ["idle": [:]]], loading) == ["phase: idle → loading(1)"])
    let row: AnyJSON = ["row": ["id": 7, "_1": ["toggle": [:]]]]
    #expect(reader.shortText(of: row.shownAction()) == "row(id: 7, toggle)")
    for (action, text) in [
      (["undo": [:]], "undo"), (["add": ["_0": 3]], "add(3)"), ("start", "start"),
      (["load": ["query": "a"]], #"load(query: "a")"#),
      (["move": ["_0": 1, "_1": 2]], "move(1, 2)"),
      (["set": ["_0": .null]], "set(nil)"), ("a text", #""a text""#), (5, "5"),
    ] as [(AnyJSON, String)] {
      #expect(reader.shortText(of: action.shownAction()) == text)
    }
  }

  @Test func `actions are compared by paths`() {
    func changes(_ old: AnyJSON, _ new: AnyJSON) -> [String] {
      reader.changeLines(from: old.shownAction(), to: new.shownAction(), limit: 9).lines
    }
    #expect(
      changes(["load": ["query": "a"]], ["load": ["query": "b"]]) == [#"load.query: "a" → "b""#])
    #expect(changes(["undo": [:]], ["add": ["_0": 1]]) == ["undo → add(1)"])
    #expect(
      changes(["load": ["query": "a"]], ["save": ["name": "a"]])
        == [#"load(query: "a") → save(name: "a")"#])
    #expect(changes("start", "stop") == ["start → stop"])
  }

  @Test func `nodes have the structure and no type that the recording does not have`() {
    let state: AnyJSON = ["name": "a", "rows": [["id": 7]], "sizes": [1]]
    let node = reader.node(of: state.shown(as: "State"))
    #expect(
      node
        == .object(
          type: "State",
          [
            .init(name: "name", value: .string(CutText("a", limit: 9))),
            .init(
              name: "rows",
              value: .list(
                type: "",
                [
                  .init(
                    name: "id: 7",
                    value: .object(type: "", [.init(name: "id", value: .number("7"))]))
                ],
                count: nil)),
            .init(
              name: "sizes",
              value: .list(type: "", [.init(name: "0", value: .number("1"))], count: nil)),
          ]))
    #expect(
      reader.node(of: AnyJSON.object(["undo": [:]]).shownAction())
        == .enumCase("undo", type: "Action", []))
  }

  @Test func `hidden names hide values of recordings`() {
    let old: AnyJSON = ["user": ["password": "one", "name": "Ann"]]
    let new: AnyJSON = ["user": ["password": "two", "name": "Ann"]]
    #expect(lines(old, new) == ["user.password: ••• → •••"])
    #expect(!reader.shortText(of: old.shown(as: "State")).contains("one"))
  }

  @Test func `an object with many members is read like a dictionary, page by page`() throws {
    let members = (0..<1_000).map { ("key\($0 + 1_000)", AnyJSON.integer(Int64($0))) }
    let large = AnyJSON.object(Dictionary(uniqueKeysWithValues: members))
    let node = reader.node(of: large.shown(), from: 100, count: 2)
    guard case .dictionary(_, let children, count: 1_000) = node else {
      Issue.record("\(String(describing: node))")
      return
    }
    #expect(children.map(\.name) == ["key1100", "key1101"])
    #expect(reader.node(of: large.shown(), at: ["key1999"]) == .number("999"))
    #expect(try AnyJSON(parsing: reader.json(of: large.shown())) == large)
  }

  @Test func `the JSON of a recorded value is that of the recording`() throws {
    let action: AnyJSON = ["row": ["id": 7, "_1": ["toggle": [:]]]]
    #expect(try AnyJSON(parsing: reader.json(of: action.shownAction())) == action)
    let state: AnyJSON = ["rows": [["id": 7, "_kind": "x"]], "title": .null]
    #expect(try AnyJSON(parsing: reader.json(of: state.shown())) == state)
    #expect(try reader.json(of: state.shown(), at: ["rows", "id: 7", "kind"]) == #""x""#)
  }
}
