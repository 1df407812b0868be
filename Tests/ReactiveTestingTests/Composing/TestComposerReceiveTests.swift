import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct TestComposerReceiveTests {
  private func test(
    of effect: @escaping @autoclosure () -> Observable<Effect<ClosureComposer.Action>>
  )
    -> TestComposer<ClosureComposer>
  {
    let test = TestComposer(ClosureComposer { _, _, action in action == .go ? effect() : .none })
    test.send(.go) { $0.count = 1 }
    return test
  }

  @Test func `receive accepts an action by value`() {
    let test = test(of: .send(.number(1)))
    test.receive(.number(1)) { $0.count = 2 }
    test.finish()
  }

  @Test func `receive accepts an action by case and passes its payload`() {
    let test = test(
      of: .concatenate(.send(.number(7)), .send(.pair(1, "a")), .send(.named(text: "b"))))
    test.receive(ClosureComposer.Action.number) { number, state in
      #expect(number == 7)
      state.count = 2
    }
    test.receive(ClosureComposer.Action.pair) { pair, state in
      #expect(pair.0 == 1 && pair.1 == "a")
      state.count = 3
    }
    test.receive(ClosureComposer.Action.named) { text, state in
      #expect(text == "b")
      state.count = 4
    }
    test.finish()
  }

  @Test func `receive fails for another case with the same payload type`() {
    let test = test(of: .send(.number(7)))
    fails("expected  a case with String", "got       number(7)") {
      test.receive(ClosureComposer.Action.named) { _, _ in
        Issue.record("The closure must not be called.")
      }
    }
    test.finish()
  }

  @Test func `receive distinguishes cases of one name by the labels of their payloads`() {
    final class Form: Composer {
      enum Action: Equatable {
        case start, set(name: String), set(title: String)
        case move(x: Int, y: Int), move(up: Int, by: Int)
      }
      struct State: Equatable {}
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        guard action == .start else { return .none }
        return .concatenate(
          .send(.set(name: "a")), .send(.set(name: "b")), .send(.move(x: 1, y: 2)),
          .send(.move(x: 3, y: 4)))
      }
    }
    let test = TestComposer(Form())
    test.send(.start)
    test.receive(Form.Action.set(name:)) { name, _ in #expect(name == "a") }
    fails("expected  a case with String", #"got       set(name: "b")"#) {
      test.receive(Form.Action.set(title:))
    }
    test.receive(Form.Action.move(x:y:)) { place, _ in #expect(place == (1, 2)) }
    fails("got       move(x: 3, y: 4)") { test.receive(Form.Action.move(up:by:)) }
    test.finish()
  }

  @Test func `receive accepts an action by an optional property`() {
    let test = TestComposer(Search(api: .stub))
    test.send(.loaded(["a"])) { $0.results = ["a"] }
    test.send(.query("b")) {
      $0.query = "b"
      $0.isLoading = true
    }
    test.advance(by: .seconds(2))
    test.receive(\.loaded) { results, state in
      #expect(results == ["b1", "b2"])
      state.results = results
      state.isLoading = false
    }
    test.finish()
  }

  @Test func `receive accepts an action by a predicate`() {
    let test = test(of: .concatenate(.send(.number(7)), .send(.number(8))))
    test.receive(where: { $0 != .number(8) }) { $0.count = 2 }
    fails("expected  a matching action", "got       number(8)") {
      test.receive(where: { $0 == .number(7) })
    }
    test.finish()
  }

  @Test func `receive accepts a group as one step`() {
    let test = test(
      of: .concatenate(.group(.tick, .number(1)), .group(.tick, .stop), .group(.tick)))
    test.receive(group: .tick, .number(1)) { $0.count = 3 }
    fails("expected  tick", "got       group(tick, stop)") { test.receive(.tick) }
    test.receive(.tick) { $0.count = 6 }
    test.finish()
  }

  @Test func `receive compares actions that are not Equatable by case and payload`() {
    var api = Search.Api.stub
    api.find = { query in if query.isEmpty { throw Failure() } else { [query] } }
    let test = TestComposer(Search(api: api))
    test.send(.query("")) { $0.isLoading = true }
    test.advance(by: .milliseconds(300))
    test.receive(.failed(Failure())) { $0.isLoading = false }
    test.send(.query("a")) {
      $0.query = "a"
      $0.isLoading = true
    }
    test.advance(by: .milliseconds(300))
    fails("expected  loaded([\"b\"])", "got       loaded([\"a\"])") {
      test.receive(.loaded(["b"]))
    }
    test.send(.query("c")) {
      $0.query = "c"
      $0.isLoading = true
    }
    test.advance(by: .milliseconds(300))
    fails("expected  cleared", "got       loaded([\"c\"])") { test.receive(.cleared) }
    test.finish()
  }
}
