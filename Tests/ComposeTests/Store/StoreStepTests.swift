import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Store steps", .workerPool) struct StoreStepTests {
  let time = VirtualTime()

  /// `other` is the given group; `go` starts ticks, `stop` ends the effects that are in the bag then.
  func screen(_ group: [ClosureComposer.Action]) -> Screen<ClosureComposer> {
    time.run {
      Screen(
        ClosureComposer { probe, state, action in
          state.count += 1
          switch action {
          case .go: return .interval(.send(.tick), period: .seconds(1))
          case .stop: return .cancel(&probe.disposeBag)
          case .other: return .just(.group(group))
          default:
            state.log.append("\(action)")
            return .none
          }
        })
    }
  }

  @Test func `a group of actions publishes the state once`() {
    let screen = screen([.number(1), .number(2), .number(3)])
    let published = EventRecorder<Int>()
    let bag = DisposeBag()
    screen.composer.$state.states.subscribe(onNext: { published.append($0.count) }).disposed(
      by: bag)
    screen.composer.action.accept(.other)
    #expect(published.events == [0, 1, 4])
    #expect(screen.composer.state.log == ["number(1)", "number(2)", "number(3)"])
  }

  @Test(arguments: [true, false])
  func `cancelling a bag in a group ends only earlier effects of the group`(
    isStoppedLast: Bool
  ) {
    let screen = screen(isStoppedLast ? [.go, .stop] : [.stop, .go])
    screen.composer.action.accept(.other)
    time.advance(by: .milliseconds(2_500))
    #expect(screen.composer.state.log == (isStoppedLast ? [] : ["tick", "tick"]))
  }

  @Test func `an empty group makes no step`() {
    let screen = screen([])
    let published = EventRecorder<Int>()
    let bag = DisposeBag()
    screen.composer.$state.states.subscribe(onNext: { published.append($0.count) }).disposed(
      by: bag)
    screen.composer.action.accept(.other)
    #expect(published.events == [0, 1])
  }
}
