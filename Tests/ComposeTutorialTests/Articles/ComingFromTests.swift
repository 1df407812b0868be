import Compose
import ReactiveTesting
import TestSupport
import Testing

/// The features that readers look for who come from another library, in one composer.
final class Profile: Composer {
  enum Action: Equatable { case load, loaded(String), rename(String), failed, cancel }

  struct State: Equatable {
    var name = ""
    var isLoading = false
    @PresentState var alert: String?
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let load: @Sendable () async throws -> String
  private let names: Observable<String>

  init(load: @escaping @Sendable () async throws -> String, names: Observable<String> = .never()) {
    (self.load, self.names) = (load, names)
  }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .load:
      state.isLoading = true
      return .run { [load] effect in
        effect.onNext(.send(.loaded(try await load())))
      } catch: { _ in
        .send(.failed)
      }
      .cancellable(id: "load", cancelInFlight: true)
    case .loaded(let name): (state.name, state.isLoading) = (name, false)
    case .rename(let name):
      let accepted = names.map { Action.loaded("\(name) \($0)") }
      return .run(accepted).cancellable(id: "rename", whenBusy: .replace)
    case .failed: (state.alert, state.isLoading) = ("failed", false)
    case .cancel:
      state.isLoading = false
      return .merge(.cancel(id: "load"), .cancel(id: "rename"))
    }
    return .none
  }
}

@MainActor
final class ProfileScreen: Composable {
  @Compose var composer: Profile
  var disposeBag = DisposeBag()
  private(set) var names: [String] = []
  private(set) var alerts: [String?] = []

  init(_ profile: Profile) { _composer = Compose(wrappedValue: profile) }

  func bind(_ renames: Observable<String>) {
    renames.map(Profile.Action.rename).bind(to: composer.action).disposed(by: disposeBag)
    composer.$state.select(\.name)
      .drive(with: self) { $0.names.append($1) }.disposed(by: disposeBag)
    composer.$state.present(\.$alert).compactMap(\.self)
      .drive(with: self) { $0.alerts.append($1) }.disposed(by: disposeBag)
  }
}

@MainActor
@Suite("Names of other libraries", .workerPool)
struct ComingFromTests {
  struct Offline: Error {}

  let time = VirtualTime()

  @Test func `a request in flight is cancelled by the next one, and by name`() {
    let asked = Locked(0)
    let screen = time.run {
      ProfileScreen(
        Profile(load: {
          let number = asked.withLock { number in
            number += 1
            return number
          }
          try await EffectContext.sleep(.seconds(1))
          return "\(number)"
        })
      )
    }
    screen.composer.action.accept(.load)
    time.settle()
    screen.composer.action.accept(.load)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state.name == "2")
    screen.composer.action.accept(.load)
    screen.composer.action.accept(.cancel)
    time.advance(by: .seconds(2))
    #expect(screen.composer.state == Profile.State(name: "2"))
  }

  @Test func `a view is bound to parts of the state and to one-shot values`() {
    let (renames, answers) = (PublishSubject<String>(), PublishSubject<String>())
    let screen = time.run {
      ProfileScreen(Profile(load: { throw Offline() }, names: answers.asObservable()))
    }
    screen.bind(renames.asObservable())
    renames.onNext("a")
    renames.onNext("b")
    answers.onNext("c")
    screen.composer.action.accept(.load)
    time.settle()
    #expect(screen.names == ["", "b c"])
    #expect(screen.alerts == ["failed"])
  }

  @Test func `a trace has one line for each event`() {
    let screen = time.run { ProfileScreen(Profile(load: { "a" })) }
    let steps = Locked<[[Profile.Action]]>([])
    screen.composer.trace
      .subscribe(onNext: { event in
        if case .step(let step) = event.kind { steps.withLock { $0.append(step.actions) } }
      })
      .disposed(by: screen.disposeBag)
    screen.composer.action.accept(.load)
    time.settle()
    #expect(steps.withLock { $0 } == [[.load], [.loaded("a")]])
  }

  @Test func `a test names the values it compares and the calls it refuses`() {
    let test = TestComposer(Profile(load: unimplemented("load"), names: .just("b")))
    test.exhaustivity = .off
    test.send(.rename("a"))
    test.receive(.loaded("a b")) { $0.name = "a b" }
    test.finish()
  }

  @Test func `a stub records the actions of a view and publishes the state of a test`() {
    let stub = StubComposer(Profile(load: unimplemented("load")))
    let screen = ProfileScreen(stub.composer)
    let renames = PublishSubject<String>()
    screen.bind(renames.asObservable())
    renames.onNext("a")
    stub.state.name = "b"
    #expect(stub.actions == [.rename("a")])
    #expect(screen.names == ["", "b"])
  }
}
