import ReactiveTesting
import Testing

@testable import tea_timer

@Suite("The timer of the tutorial")
struct TimerTests {
  @Test func `teas are brewed one after the other`() {
    let test = TestComposer(TeaShop())
    test.send(.ordered(Order(tea: "Sencha", seconds: 2))) {
      $0.queue = [Order(tea: "Sencha", seconds: 2)]
    }
    test.send(.ordered(Order(tea: "Assam", seconds: 1))) {
      $0.queue.append(Order(tea: "Assam", seconds: 1))
    }
    test.expect("-tt", ["t": .tick]) {
      $0.queue = [Order(tea: "Assam", seconds: 1)]
      $0.served = ["Sencha"]
    }
    test.expect("-t--", ["t": .tick]) {
      $0.queue = []
      $0.served = ["Sencha", "Assam"]
    }
    test.finish()
  }

  @Test func `three minutes take no time`() {
    let test = TestComposer(TeaShop())
    test.exhaustivity = .off
    test.send(.ordered(Order(tea: "Mint", seconds: 180)))
    test.advance(by: .seconds(180))
    #expect(test.state.served == ["Mint"])
    test.finish()
  }
}
