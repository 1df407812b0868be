// 5: compiles
// 6: refused: type 'Model' does not conform to the 'Sendable' protocol
//
// Elements that are sent to a task.
import Reactive

final class Model { var number = 0 }

func sum(_ models: Observable<Model>) async throws -> Int {
  var sum = 0
  for try await model in models.values { sum += model.number }
  return sum
}
