// refused: type 'Key' does not conform to the 'Sendable' protocol
//
// Effects are cancelled on the threads where they run.
import Compose

final class Key: Hashable {
  var name = ""
  static func == (one: Key, other: Key) -> Bool { one === other }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Counter {
  func stop(_ key: Key) -> Observable<Effect<Action>> { .cancel(id: key) }
}
