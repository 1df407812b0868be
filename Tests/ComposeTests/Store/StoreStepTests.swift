import Compose
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Store steps", .workerPool) struct StoreStepTests {
  let time = VirtualTime()

  /// `other` is the group of those given; `go` ticks, `stop` ends what is in the bag at that moment.
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
    screen.composer.$state.states.subscribe(onNext: { published.add($0.count) }).disposed(by: bag)
    screen.composer.action.accept(.other)
    #expect(published.all == [0, 1, 4])
    #expect(screen.composer.state.log == ["number(1)", "number(2)", "number(3)"])
  }

  @Test(arguments: [true, false])
  func `cancelling a bag in a group ends earlier effects of the group and not later ones`(
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
    screen.composer.$state.states.subscribe(onNext: { published.add($0.count) }).disposed(by: bag)
    screen.composer.action.accept(.other)
    #expect(published.all == [0, 1])
  }
}
