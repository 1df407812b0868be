import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

private struct Shelf: Sendable {
  var titles: @Sendable () async throws -> [String]
  var count: @Sendable () -> Int = { 0 }
}

private enum ShelfKey: DependencyKey {
  static let liveValue = Shelf { ["live"] }

  static func testValue(in test: RunningTest) -> Shelf? {
    Shelf(
      titles: test.unimplemented("Shelf.titles"),
      count: test.unimplemented("Shelf.count", placeholder: 7))
  }
}

/// A dependency without a value for tests.
private enum OwnerKey: DependencyKey { static let liveValue = "live" }

extension Dependencies {
  fileprivate var shelf: Shelf {
    get { self[ShelfKey.self] }
    set { self[ShelfKey.self] = newValue }
  }

  fileprivate var owner: String {
    get { self[OwnerKey.self] }
    set { self[OwnerKey.self] = newValue }
  }
}

private final class Reading: Composer {
  enum Action: Equatable { case load, loaded([String]), count, readOwner }
  struct State: Equatable { var titles: [String] = [], count = 0, owner = "" }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .load:
      return .run { $0.onNext(.send(.loaded(try await Dependencies.current.shelf.titles()))) }
    case .loaded(let titles): state.titles = titles
    case .count: state.count = Dependencies.current.shelf.count()
    case .readOwner: state.owner = Dependencies.current.owner
    }
    return .none
  }
}

@Suite("Dependencies in tests", .workerPool) struct TestDependenciesTests {
  private let message = "OwnerKey was read, and this test does not inject it."

  @Test func `a test fails in the line that calls an unimplemented dependency`() {
    let test = TestComposer(Reading())
    let count = Locked(0)
    withKnownIssue {
      test.send(.load)
    } matching: { issue in
      count.withLock { $0 += 1 }
      return "\(issue.comments)".contains("Shelf.titles is not implemented in this test.")
        && issue.sourceLocation?.fileName == "TestDependenciesTests.swift"
    }
    #expect(count.withLock { $0 } == 1)
    fails("Shelf.count is not implemented in this test.", line: #line + 1) {
      test.send(.count) { $0.count = 7 }
    }
    test.finish()
  }

  @Test func `a test injects a dependency, or a part of it`() {
    for test in [
      TestComposer(Reading()) { $0.shelf = Shelf { ["Walden"] } },
      TestComposer(Reading()) { $0.shelf.titles = { ["Walden"] } },
    ] {
      test.send(.load)
      test.receive(.loaded(["Walden"])) { $0.titles = ["Walden"] }
      test.finish()
    }
  }

  @Test func `a test that reads a dependency without a test value and does not inject it fails`() {
    let test = TestComposer(Reading())
    fails(message, line: #line) { test.send(.readOwner) { $0.owner = "live" } }
    // Reported once for each test.
    test.send(.readOwner)
    test.finish()
    let injecting = TestComposer(Reading()) { $0.owner = "Ann" }
    injecting.send(.readOwner) { $0.owner = "Ann" }
    injecting.finish()
  }

  @Test func `a screen in virtual time fails the test where the time was created`() {
    let line = #line + 1
    let time = VirtualTime()
    fails(message, line: line) { time.run { _ = Dependencies.current.owner } }
    fails("Shelf.count is not implemented", line: line) {
      time.run { #expect(Dependencies.current.shelf.count() == 7) }
    }
  }

  @Test func `outside of virtual time each read of a dependency that is not injected fails`() {
    for _ in 1...2 {
      withKnownIssue {
        #expect(Dependencies.current.owner == "live")
      } matching: { [message] in
        "\($0.comments)".contains(message)
      }
    }
    withKnownIssue {
      #expect(Dependencies.current.shelf.count() == 7)
    } matching: {
      "\($0.comments)".contains("Shelf.count is not implemented")
    }
    let handle = Composed(sending: Reading()) { $0.owner = "Ann" }
    handle.send(.readOwner)
    #expect(handle.state.owner == "Ann")
  }

  @Test func `given, a stub and a replay have the dependencies of a test`() {
    Given(Reading(), .init()) { $0.owner = "Ann" }.when(.readOwner).then { $0.owner = "Ann" }
    fails(message, line: #line + 1) {
      Given(Reading(), .init()).when(.readOwner).then { $0.owner = "live" }
    }
    final class Reader: Composer {
      @ComposableState var state = 0
      var action = PublishRelay<Int>()
      var disposeBag = DisposeBag()
      let owner = Dependencies.current.owner
      func reducer(_ state: inout Int, _ action: Int) -> Observable<Effect<Int>> {
        state = Dependencies.current.owner.count
        return .none
      }
    }
    #expect(StubComposer(Reader()) { $0.owner = "Bob" }.composer.owner == "Bob")
    let step = ComposerStep(number: 1, source: .outside, actions: [1], state: 0)
    let entry = TraceEvent(time: Date(timeIntervalSince1970: 0), kind: .step(step))
    let timeline = Timeline<Int, Int>(entries: [entry])
    let replayed = timeline.replay(into: Reader()) { $0.owner = "Carla" }
    #expect(replayed.steps.map(\.state) == [5])
  }

  private enum ColorKey: DependencyKey {
    static let liveValue = "live"
    static func testValue(in test: RunningTest) -> String? { "test" }
  }

  private final class Painting: Composer {
    enum Action: Equatable { case paint, painted(String) }
    @ComposableState var state: [String] = []
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout [String], _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .paint:
        return .merge(
          .run { .painted(Dependencies.current[ColorKey.self]) },
          .run(
            Observable<Int>.timer(.seconds(1), scheduler: EffectContext.clock).map { _ in
              .painted(Dependencies.current[ColorKey.self])
            }))
      case .painted(let color):
        state.append(color)
        return .none
      }
    }
  }

  @Test func `the closure of an operator finds no dependency of the test's composer`() {
    let test = TestComposer(Painting()) { $0[ColorKey.self] = "injected" }
    test.send(.paint)
    test.receive(.painted("injected")) { $0 = ["injected"] }
    test.advance(by: .seconds(1))
    test.receive(.painted("test")) { $0 = ["injected", "test"] }
    test.finish()
  }
}
