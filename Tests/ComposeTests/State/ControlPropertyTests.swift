import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Control properties of a composer", .workerPool)
struct ControlPropertyTests {
  final class Form: Composer {
    enum Action: Equatable { case ageChanged(Int), reset }
    struct State: Equatable { var name = "", age = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .ageChanged(let age): state.age = max(0, age)
      case .reset: state = State()
      }
      return .none
    }
  }

  private let bag = DisposeBag()

  private func values<Value>(_ property: ControlProperty<Value>) -> EventRecorder<Value>
  where Value: Sendable {
    let values = EventRecorder<Value>()
    property.subscribe(onNext: { values.append($0) }).disposed(by: bag)
    return values
  }

  @Test func `a value that a control sets is a step without an action`() {
    let screen = Screen(Form())
    let recorder = TimelineRecorder(screen.composer.trace)
    let name = screen.composer.controlProperty(\.name)
    let values = values(name)
    name.onNext("ann")
    name.onNext("ann")
    screen.composer.action.accept(.reset)
    #expect(values.events == ["", "ann", ""])
    let steps = recorder.timeline.steps
    #expect(steps.map(\.change) == [#"\State.name"#, #"\State.name"#, nil])
    #expect(steps.map(\.state.name) == ["ann", "ann", ""])
    #expect(steps.allSatisfy { $0.source == .outside })
  }

  @Test func `a value that a control sets is sent as an action`() {
    let screen = Screen(Form())
    let age = screen.composer.controlProperty(\.age) { .ageChanged($0) }
    let values = values(age)
    age.onNext(7)
    age.onNext(-3)
    #expect(values.events == [0, 7, 0])
  }

  @Test func `a test receives the change`() {
    let test = TestComposer(Form())
    test.composer.controlProperty(\.name).onNext("ann")
    test.receiveChange(#"\State.name"#) { $0.name = "ann" }
    test.finish()
  }

  @Test func `a control property does not keep the composer alive`() {
    var screen: Screen<Form>? = Screen(Form())
    weak let composer = screen?.composer
    let name = screen?.composer.controlProperty(\.name)
    name?.subscribe(onNext: { _ in }).disposed(by: bag)
    screen = nil
    #expect(composer == nil)
    name?.onNext("late")
  }
}
