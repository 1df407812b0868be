import Sockets

/// Music beside the catalog, which is turned on and off, and sampled.
final class Music: Composer {
  enum Action: Sendable { case play, stop, sample, beat }

  struct State: Equatable {
    var isPlaying = false
    /// Beats since it was stopped.
    var lateBeats = 0
  }

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .play:
      (state.isPlaying, state.lateBeats) = (true, 0)
      return .interval(.send(.beat), period: .milliseconds(500))
    case .stop:
      state.isPlaying = false
      return .cancel(&disposeBag)
    // It ends before it is heard.
    case .sample: return .group([.play, .stop])
    case .beat: if !state.isPlaying { state.lateBeats += 1 }
    }
    return .none
  }
}
