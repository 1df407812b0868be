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

  /// A composer whose state has properties without names at run time.
  final class Options: Composer {
    struct Sound: Hashable, Codable, Sendable {
      var isLoud = false
      var isQuiet: Bool {
        get { !isLoud }
        set { isLoud = !newValue }
      }
    }
    struct State: Codable {
      @PresentState var alert: String?
      @PresentState var message: String?
      @Shared var sound = Sound()
      @Shared var spare = Sound()
      var plain = Sound()
      var last: Sound? = Sound()
      var title: String {
        get { alert ?? "" }
        set { alert = newValue }
      }
    }
    @ComposableState var state = State()
    var action = PublishRelay<Int>()
    var disposeBag = DisposeBag()
    private let sharing = Sharing(\State.$sound, SharedValue(Sound(isLoud: true)))
    private let spareSharing = Sharing(\State.$spare, SharedValue(Sound()))

    func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> { .none }
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

  @Test func `a change has the name of a property with a wrapper, and no address`() throws {
    let screen = Screen(Options())
    let recorder = TimelineRecorder(screen.composer.trace)
    screen.composer.controlProperty(\.message).onNext("m")
    screen.composer.controlProperty(\.alert).onNext("a")
    screen.composer.controlProperty(\.alert).onNext("a")
    screen.composer.controlProperty(\.spare.isLoud).onNext(true)
    screen.composer.controlProperty(\.sound.isLoud).onNext(false)
    screen.composer.controlProperty(\.sound).onNext(Options.Sound(isLoud: true))
    screen.composer.controlProperty(\.plain.isLoud).onNext(true)
    let names = [
      #"\State.message"#, #"\State.alert"#, #"\State.alert"#, #"\State.spare.isLoud"#,
      #"\State.sound.isLoud"#, #"\State.sound"#, #"\State.plain.isLoud"#,
    ]
    #expect(recorder.timeline.steps.map(\.change) == names)
    let lines = try recorder.timeline.jsonLines()
    #expect(try Timeline<Options.State, Int>(jsonLines: lines).steps.map(\.change) == names)
  }

  @Test func `a change of a computed property has its type`() {
    let test = TestComposer(Options())
    test.composer.controlProperty(\.title).onNext("t")
    // The wrapped property is the only one that the write has changed.
    test.receiveChange(#"\State.alert"#) { $0.alert = "t" }
    test.composer.controlProperty(\.sound.isQuiet).onNext(true)
    test.receiveChange(#"\State.sound.(Bool)"#) { $0.sound.isLoud = false }
    test.composer.controlProperty(\.plain.isQuiet).onNext(false)
    test.receiveChange(#"\State.plain.(Bool)"#) { $0.plain.isLoud = true }
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
