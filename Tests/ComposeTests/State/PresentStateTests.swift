import Foundation
import TestSupport
import Testing

@testable import Compose

/// The value alone; what observers are presented is ComposableStateTests'.
@Suite("A value to present", .workerPool) struct PresentValueTests {
  private struct State: Hashable, Codable {
    @PresentState var alert: String?
  }

  private func state(_ alert: String?) -> State {
    var state = State()
    state.alert = alert
    return state
  }

  @Test func `is news to an observer once a write, the same value too`() {
    var state = state("A")
    var last: PresentStamp??
    #expect(state.$alert.isNews(after: &last) == true)
    #expect(state.$alert.isNews(after: &last) == false)
    state.alert = "A"
    #expect(state.$alert.isNews(after: &last) == true)
    // A copy is no write, and goes with the state.
    let copy = state
    #expect(copy.$alert.isNews(after: &last) == false)
  }

  @Test func `is news to a newcomer unless somebody has seen it`() {
    let state = state("A")
    var (first, second): (PresentStamp??, PresentStamp??) = (nil, nil)
    #expect(state.$alert.isNews(after: &first) == true)
    #expect(state.$alert.isNews(after: &second) == false)
    // What was never written is a newcomer's first value each time.
    var (third, fourth): (PresentStamp??, PresentStamp??) = (nil, nil)
    #expect(State().$alert.isNews(after: &third) == true)
    #expect(State().$alert.isNews(after: &fourth) == true)
    #expect(State().$alert.isNews(after: &fourth) == false)
  }

  @Test func `is equal and hashed by its value, however often it was written`() {
    var twice = state("A")
    twice.alert = "A"
    #expect(Set([state("A"), twice, state("B"), State()]).count == 3)
  }

  @Test func `is encoded as its value, and counts as not written when it comes back`() throws {
    let data = try JSONEncoder().encode(state("A"))
    #expect(String(decoding: data, as: UTF8.self) == #"{"alert":"A"}"#)
    let decoded = try JSONDecoder().decode(State.self, from: data)
    #expect(decoded == state("A"))
    var last: PresentStamp?? = .some(nil)
    #expect(decoded.$alert.isNews(after: &last) == false)
  }

  @Test func `is printed as its value`() {
    #expect("\(state("A").$alert)" == #"Optional("A")"#)
    #expect(Mirror(reflecting: state("A").$alert).children.map(\.label) == ["wrappedValue"])
  }
}
