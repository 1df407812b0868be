// compiles
//
// The correct counterparts of the misuses.
import Compose

@MainActor
final class MainOwner {
  @Compose var composer = Counter()
}

extension Counter {
  func reload() -> Observable<Effect<Action>> {
    .run { [service] effect in effect.onNext(.send(.add(try await service.load()))) }
  }
}

func serveThroughHandle() {
  let handle = Composed(sending: Counter())
  Task.detached { handle.send(.add(1)) }
}

func serveWithDependencies() {
  let handle = Composed(sending: Counter()) { $0.clock = MainScheduler.instance }
  handle.send(.add(1))
}

@MainActor
func sendFromElsewhere(_ composer: Counter) {
  let action = composer.action
  Task.detached { action.accept(.add(1)) }
}
