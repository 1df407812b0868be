import Foundation
import Sockets

/// A composer and its output in a terminal.
@MainActor
final class Echo {
  typealias State = EchoComposer.State

  @Compose var composer: EchoComposer
  private let disposeBag = DisposeBag()

  init(_ composer: EchoComposer, print: @escaping @MainActor (String) -> Void) {
    self.composer = composer
    self.composer.$state.observable
      .scan((State(), State())) { states, state in (states.1, state) }
      .drive(onNext: { old, new in Transcript.lines(from: old, to: new).forEach(print) })
      .disposed(by: disposeBag)
  }

  func send(_ action: EchoComposer.Action) { composer.action.accept(action) }

  /// Types a text and sends it.
  func say(_ text: String) {
    send(.typed(text))
    send(.sendTapped)
  }

  /// Executes the commands of `lines`, until they end or one is `/q`.
  func run(_ lines: some AsyncSequence<String, Never>) async {
    for await line in lines {
      // The next line dismisses an alert.
      if composer.state.alert != nil { send(.alertDismissed) }
      switch Input(line) {
      case .toggle: send(.connectTapped)
      case .quit: return
      case .send(let text): say(text)
      }
    }
  }

  /// Demonstrates a failure, a connection, two echoes and the end.
  ///
  /// - Returns: whether each step had the expected result.
  func demonstrate() async -> Bool {
    say("is the server there?")
    guard await reaches({ $0.alert != nil }) else { return false }
    send(.alertDismissed)
    send(.connectTapped)
    guard await reaches({ $0.connection == .connected }) else { return false }
    for text in ["hello", "goodbye"] {
      say(text)
      guard await reaches({ $0.received.last == text }) else { return false }
    }
    send(.connectTapped)
    return composer.state.connection == .disconnected
  }

  /// Waits for a state that satisfies `isThere`, for 10 seconds at most.
  private func reaches(_ isThere: @escaping @Sendable (State) -> Bool) async -> Bool {
    let state = composer.$state.observable.asObservable()
      .filter(isThere)
      .take(1)
      .timeout(.seconds(10), scheduler: MainScheduler.instance)
      .asSingle()
    return (try? await state.value) != nil
  }
}
