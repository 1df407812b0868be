import Compose
import ReactiveTesting
import TestSupport
import Testing

/// The dependencies of the desk, which tests replace.
struct Office: Sendable {
  var letters: @Sendable () async throws -> [String] = { [] }
  var save: @Sendable (String) async throws -> Void = { _ in }
  var bell: Observable<String> = .never()
}

final class Desk: Composer, EffectFailureHandling {
  enum Action {
    case refresh, load, loaded([String]), timedOut, failed(any Error)
    case typed(String), saved, rang(String), close
  }

  struct State: Equatable {
    var letters: [String] = []
    var log: [String] = []
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  let middleware: [any Middleware<State, Action>]
  private let office: Office

  init(_ office: Office, _ middleware: [any Middleware<State, Action>] = []) {
    (self.office, self.middleware) = (office, middleware)
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .refresh:
      return .run { [office] in
        .loaded(try await office.letters())
      } catch: { error in
        .send(.failed(error))
      }
      .cancellable(id: "refresh", whenBusy: .ignore)

    case .typed(let text):
      return .concatenate(
        .fireAndForget { [office] in try await office.save(text) },
        .send(.saved)
      )
      .debounce(id: "save", for: .seconds(1))

    case .close:
      return .merge(.cancelAll, .group(.loaded([]), .saved))

    case .load:
      return .race(
        .run { [office] effect in effect.onNext(.send(.loaded(try await office.letters()))) }
          .retry(.exponential(maxAttempts: 5)),
        .send(.timedOut, after: .seconds(20))
      )
      .catch { .send(.failed($0)) }

    case .loaded(let letters): state.letters = letters
    case .timedOut: state.log.append("timed out")
    case .failed(let error): state.log.append("failed: \(error)")
    case .saved: state.log.append("saved")
    case .rang(let who): state.log.append("rang: \(who)")
    }
    return .none
  }

  func transform(action: Observable<Action>) -> Observable<Action> {
    .merge(action, office.bell.map(Action.rang))
  }

  func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> {
    .send(.failed(failure.error))
  }
}

final class Journal: Middleware {
  private let write: @Sendable (String) async throws -> Void

  init(write: @escaping @Sendable (String) async throws -> Void) { self.write = write }

  func didReduce(_ action: Desk.Action, _ state: Desk.State) -> Observable<Effect<Desk.Action>> {
    .fireAndForget { [write] in try await write("\(action)") }
  }
}

@MainActor
@Suite("The examples of ReturningEffects.md", .workerPool)
struct ReturningEffectsTests {
  struct Offline: Error {}

  @MainActor
  final class Screen {
    @Compose var composer: Desk
    init(_ composer: Desk) { _composer = Compose(wrappedValue: composer) }
  }

  let time = VirtualTime()

  func screen(_ office: Office, _ middleware: [any Middleware<Desk.State, Desk.Action>] = [])
    -> Screen
  { time.run { Screen(Desk(office, middleware)) } }

  @Test func `a second refresh does nothing while the first one runs, and an error is an action`() {
    let asked = Locked(0)
    let screen = screen(
      Office(letters: {
        let number = asked.withLock { number in
          number += 1
          return number
        }
        try await EffectContext.sleep(.seconds(1))
        if number > 1 { throw Offline() }
        return ["a"]
      })
    )
    screen.composer.action.accept(.refresh)
    screen.composer.action.accept(.refresh)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state == Desk.State(letters: ["a"]))
    screen.composer.action.accept(.refresh)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.log == ["failed: Offline()"])
  }

  @Test func `loading is tried again until it takes too long`() {
    for (failures, expected) in [(2, []), (9, ["timed out"])] {
      let asked = Locked(0)
      let screen = screen(
        Office(letters: {
          let number = asked.withLock { number in
            number += 1
            return number
          }
          if number <= failures { throw Offline() }
          return ["a"]
        })
      )
      screen.composer.action.accept(.load)
      time.advance(by: .seconds(60))
      #expect(screen.composer.state.log == expected)
      #expect(screen.composer.state.letters == (expected.isEmpty ? ["a"] : []))
    }
  }

  @Test func `typing is saved once after it has stopped, and an uncaught error becomes an action`()
  {
    let texts = Locked<[String]>([])
    let screen = screen(
      Office(save: { text in
        texts.withLock { $0.append(text) }
        if text == "bad" { throw Offline() }
      })
    )
    for text in ["g", "go", "good"] { screen.composer.action.accept(.typed(text)) }
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log == ["saved"])
    screen.composer.action.accept(.typed("bad"))
    time.advance(by: .seconds(1))
    #expect(screen.composer.state.log.last == "failed: Offline()")
    #expect(texts.withLock { $0 } == ["good", "bad"])
  }

  @Test func `closing is one step and ends all effects`() {
    let screen = screen(Office())
    screen.composer.action.accept(.typed("lost"))
    screen.composer.action.accept(.close)
    time.advance(by: .seconds(10))
    #expect(screen.composer.state.log == ["saved"])
  }

  @Test func `transform receives actions from outside, and a middleware receives all`() {
    let bell = PublishSubject<String>()
    let written = Locked<[String]>([])
    let journal = Journal { line in written.withLock { $0.append(line) } }
    let screen = screen(Office(bell: bell.asObservable()), [journal])
    bell.onNext("postman")
    time.settle()
    #expect(screen.composer.state.log == ["rang: postman"])
    #expect(written.withLock { $0 } == [#"rang("postman")"#])
  }
}
