import Compose
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct UnimplementedTests {
  private struct Api: Sendable {
    var load: @Sendable (String, Int) async throws -> [String]
    var save: @Sendable (String) throws -> Void
    var isReachable: @Sendable () -> Bool
    var count: @Sendable (Int) async -> Int
  }

  private let api = Api(
    load: unimplemented("Api.load"), save: unimplemented("Api.save"),
    isReachable: unimplemented("Api.isReachable", placeholder: true),
    count: unimplemented("Api.count", placeholder: 3))

  @Test func `a call of unimplemented fails the test with its name and throws`() async {
    await withKnownIssue {
      await #expect(throws: UnimplementedError.self) { try await api.load("a", 1) }
    } matching: {
      "\($0.comments)".contains("Api.load is not implemented in this test.")
    }
    fails("Api.save is not implemented") {
      #expect(throws: UnimplementedError.self) { try api.save("a") }
    }
  }

  @Test func `a nonthrowing call of unimplemented fails the test and returns the placeholder`()
    async
  {
    fails("Api.isReachable is not implemented") { #expect(api.isReachable()) }
    await withKnownIssue {
      #expect(await api.count(1) == 3)
    } matching: {
      "\($0.comments)".contains("Api.count")
    }
  }

  @Test func `an effect that calls unimplemented fails the test once`() {
    let test = TestComposer(
      ClosureComposer { [api] _, _, _ in .run { _ in _ = try await api.load("", 1) } })
    let count = Locked(0)
    withKnownIssue {
      test.send(.go) { $0.count = 1 }
    } matching: { issue in
      count.withLock { $0 += 1 }
      return "\(issue.comments)".contains("Api.load is not implemented in this test.")
    }
    #expect(count.withLock { $0 } == 1)
    test.finish()
  }

  @Test func `a subscription that calls unimplemented fails the test once`() {
    final class Polling: Composer {
      enum Action { case go }
      struct State { var isOn = false }
      @ComposableState var state = State()
      var action = PublishRelay<Action>()
      var disposeBag = DisposeBag()
      let api: Api
      init(_ api: Api) { self.api = api }
      func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        state.isOn = true
        return .none
      }
      func stateEffects(_ state: State) -> [StateEffect<Action>] {
        if state.isOn { StateEffect(id: 1) { [api] in .run { _ in try api.save("") } } }
      }
    }
    let test = TestComposer(Polling(api))
    let count = Locked(0)
    withKnownIssue {
      test.send(.go) { $0.isOn = true }
    } matching: { issue in
      count.withLock { $0 += 1 }
      return "\(issue.comments)".contains("Api.save is not implemented in this test.")
    }
    #expect(count.withLock { $0 } == 1)
    test.finish()
  }
}
