// Progress of an upload
//
// Problem: Show how much of a file was sent, and let the user cancel.
//
// Words: upload progress bar, percentage, download progress, cancel upload, multipart
//
// Why: The closure of `.run` sends an action for each part while it works. The bar changes once a
// percent at most, because only a new percentage is an action.
//
// Ends: The effect ends when the last part was sent. An error becomes the action `failed`.
// `cancel`, and the end of the composer, cancel the task: the `upload` that it awaits throws
// `CancellationError`.
//
// See: scan, distinctUntilChanged, Compose/ReturningEffects

import Compose
import Foundation
import ReactiveTesting
import Testing

final class Upload: Composer {
  enum Action: Equatable { case start([Data]), sent(percent: Int), done, failed, cancel }
  enum State: Equatable { case idle, sending(percent: Int), done, failed }

  @ComposableState var state = State.idle
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()
  private let upload: @Sendable (Data) async throws -> Void

  init(upload: @escaping @Sendable (Data) async throws -> Void) { self.upload = upload }

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    case .start(let parts):
      state = .sending(percent: 0)
      return .run { [upload] send in
        for (index, part) in parts.enumerated() {
          try await upload(part)
          let percent = (index + 1) * 100 / parts.count
          if percent > index * 100 / parts.count { send(.sent(percent: percent)) }
        }
        send(.done)
      } catch: { _ in
        .send(.failed)
      }
      .cancellable(id: "upload", whenBusy: .replace)
    case .sent(let percent): state = .sending(percent: percent)
    case .done: state = .done
    case .failed: state = .failed
    case .cancel:
      state = .idle
      return .cancel(id: "upload")
    }
    return .none
  }
}

@Test func `the bar moves with each part that was sent`() {
  let test = TestComposer(Upload { _ in try await EffectContext.sleep(.seconds(1)) })
  let parts = Array(repeating: Data(count: 64), count: 3)
  test.send(.start(parts)) { $0 = .sending(percent: 0) }
  test.expect(
    "-ab(cd|)",
    ["a": .sent(percent: 33), "b": .sent(percent: 66), "c": .sent(percent: 100), "d": .done]
  ) {
    $0 = .done
  }
  test.finish()
}

@Test func `a cancelled upload sends no further part`() {
  let test = TestComposer(Upload { _ in try await EffectContext.sleep(.seconds(1)) })
  test.send(.start([Data(count: 64), Data(count: 64)])) { $0 = .sending(percent: 0) }
  test.expect("-a", ["a": .sent(percent: 50)]) { $0 = .sending(percent: 50) }
  test.send(.cancel) { $0 = .idle }
  test.finish()
}
