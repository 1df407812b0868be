import TestSupport
import Testing

@testable import Inspector

@Suite("Correction", .workerPool)
struct CorrectionTests {
  private let rows: AnyJSON = [
    ["id": "a=b", "isDone": false], ["id": 7, "isDone": false],
  ]

  private func corrected(
    _ state: AnyJSON, _ path: [String], _ json: AnyJSON
  ) throws(RecordingError) -> AnyJSON {
    try Correction(path: path, json: json).applied(to: state)
  }

  @Test func `elements are found by their ids and positions`() throws {
    let state: AnyJSON = ["rows": rows]
    #expect(
      try corrected(state, ["rows", "id: a=b", "isDone"], true)
        == ["rows": [["id": "a=b", "isDone": true], ["id": 7, "isDone": false]]])
    for name in ["id: 7", "1"] {
      #expect(
        try corrected(state, ["rows", name, "isDone"], true)
          == ["rows": [["id": "a=b", "isDone": false], ["id": 7, "isDone": true]]])
    }
  }

  @Test func `associated values are found without the name of their case`() throws {
    let state: AnyJSON = ["screen": ["editor": ["_0": ["title": "Milk"], "isNew": false]]]
    #expect(
      try corrected(state, ["screen", "0", "title"], "Tea")
        == ["screen": ["editor": ["_0": ["title": "Tea"], "isNew": false]]])
    #expect(
      try corrected(state, ["screen", "isNew"], true)
        == ["screen": ["editor": ["_0": ["title": "Milk"], "isNew": true]]])
  }

  @Test func `a property that is nil is added`() throws {
    #expect(try corrected(["a": 1], ["b"], 2) == ["a": 1, "b": 2])
    #expect(try corrected(["a": 1], ["a"], .null) == ["a": .null])
  }

  @Test(arguments: [
    ["rows", "id: 8"], ["rows", "9"], ["rows", "id: 7", "a", "b"], ["a", "b"], [],
  ])
  func `a path of no value is refused`(path: [String]) {
    #expect(throws: RecordingError.self) { try corrected(["rows": rows], path, 1) }
  }

  @Test func `a value that is right already is refused`() {
    #expect(
      throws: RecordingError.sameValue(path: "rows[id: 7].isDone", json: "false")
    ) { try corrected(["rows": rows], ["rows", "id: 7", "isDone"], false) }
  }
}
