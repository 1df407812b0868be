// 6: warns 1: capture of 'self' with non-Sendable type
//
// Operators warn: the closure runs on the thread of the element.
import Compose

extension Counter {
  func follow(_ numbers: Observable<Int>) -> Observable<Effect<Action>> {
    .run(numbers.map { .add($0 + self.note.count) })
  }
}
