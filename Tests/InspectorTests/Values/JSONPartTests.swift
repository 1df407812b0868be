import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("JSON of parts", .workerPool)
struct JSONPartTests {
  private struct Task: Codable, Identifiable {
    var id: UUID
    var title: String?
    var dueDate: Decimal = 0

    enum CodingKeys: String, CodingKey { case id, title, dueDate = "due_date" }
  }

  private struct State: Codable {
    var tasks: IdentifiedArray<Task> = []
    var byID: [UUID: Int] = [:]
    var names: Set<String> = []
    var password = "S3CRET"
    var price = Decimal(string: "12345678901234567.89") ?? 0
  }

  private let id = UUID.counted(1)

  private func json(_ path: [String]) throws -> String {
    let state = State(
      tasks: [Task(id: id, title: "a"), Task(id: .counted(2), title: nil)], byID: [id: 7],
      names: ["Ann", "Bob"])
    return try ValueReader().json(of: state, at: path)
  }

  @Test func `a part is found by names, ids and positions`() throws {
    #expect(try json(["tasks", "id: \(id)", "title"]) == #""a""#)
    #expect(try json(["tasks", "id: \(UUID.counted(2))", "title"]) == "null")
    #expect(try json(["price"]) == "12345678901234567.89")
    #expect(try json(["names"]).contains("Ann"))
  }

  @Test func `hidden values stay hidden`() throws {
    #expect(try json(["password"]) == #""•••""#)
  }

  @Test func `a part that the JSON does not have is refused with its path`() {
    #expect(throws: ValueError.noPart(["none"])) { try json(["none"]) }
    #expect(throws: ValueError.elementOfSet(["names", "0"])) { try json(["names", "0"]) }
    #expect(throws: ValueError.noJSON(["byID", "\(id)"])) { try json(["byID", "\(id)"]) }
    let date = ["tasks", "id: \(id)", "dueDate"]
    #expect(throws: ValueError.noJSON(date)) { try json(date) }
  }
}
