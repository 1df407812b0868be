import Foundation
import TestSupport
import Testing

@testable import Compose

/// Tests `PresentState` without a composer; `ComposableStatePresentTests` tests what observers receive.
@Suite("PresentState", .workerPool) struct PresentStateTests {
  private struct State: Hashable, Codable {
    @PresentState var alert: String?
  }

  private func state(_ alert: String?) -> State {
    var state = State()
    state.alert = alert
    return state
  }

  @Test func `each write of PresentState is presented once to an observer, also of an equal value`()
  {
    var state = state("A")
    var last: PresentStamp??
    #expect(state.$alert.claimPresentation(after: &last) == true)
    #expect(state.$alert.claimPresentation(after: &last) == false)
    state.alert = "A"
    #expect(state.$alert.claimPresentation(after: &last) == true)
    // Copying the state does not write the value.
    let copy = state
    #expect(copy.$alert.claimPresentation(after: &last) == false)
  }

  @Test func `PresentState presents a write that no observer has received to a new observer`() {
    let state = state("A")
    var (first, second): (PresentStamp??, PresentStamp??) = (nil, nil)
    #expect(state.$alert.claimPresentation(after: &first) == true)
    #expect(state.$alert.claimPresentation(after: &second) == false)
    // A value that was never written is presented to every new observer.
    var (third, fourth): (PresentStamp??, PresentStamp??) = (nil, nil)
    #expect(State().$alert.claimPresentation(after: &third) == true)
    #expect(State().$alert.claimPresentation(after: &fourth) == true)
    #expect(State().$alert.claimPresentation(after: &fourth) == false)
  }

  @Test func `equality and hash of PresentState depend on the value and not on the writes`() {
    var twice = state("A")
    twice.alert = "A"
    #expect(Set([state("A"), twice, state("B"), State()]).count == 3)
  }

  @Test func `PresentState is encoded as its value, and a decoded value counts as not written`()
    throws
  {
    let data = try JSONEncoder().encode(state("A"))
    #expect(String(decoding: data, as: UTF8.self) == #"{"alert":"A"}"#)
    let decoded = try JSONDecoder().decode(State.self, from: data)
    #expect(decoded == state("A"))
    var last: PresentStamp?? = .some(nil)
    #expect(decoded.$alert.claimPresentation(after: &last) == false)
  }

  @Test func `the description and mirror of PresentState show only the value`() {
    #expect("\(state("A").$alert)" == #"Optional("A")"#)
    #expect(Mirror(reflecting: state("A").$alert).children.map(\.label) == ["wrappedValue"])
  }
}
