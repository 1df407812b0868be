// refused: stored property 'composer' of 'Sendable'-conforming class 'Logging' has non-Sendable type 'Counter'
//
// A middleware may run on its own executor; it receives the state as an argument.
import Compose

final class Logging: Middleware {
  typealias State = Counter.State
  typealias Action = Counter.Action
  let composer: Counter

  init(_ composer: Counter) { self.composer = composer }
}
