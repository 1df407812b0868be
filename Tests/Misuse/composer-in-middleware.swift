// refused: stored property 'composer' of 'Sendable'-conforming class 'Logging' has non-Sendable type 'Counter'
//
// A middleware may run on an executor of its own; it is given the state.
import Compose

final class Logging: Middleware {
  typealias State = Counter.State
  typealias Action = Counter.Action
  let composer: Counter

  init(_ composer: Counter) { self.composer = composer }
}
