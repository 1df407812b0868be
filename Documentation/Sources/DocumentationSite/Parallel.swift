import Dispatch
import Synchronization

/// Work for all cores.
package enum Parallel {
  /// Returns the results of `transform` in the order of the elements; the first error is thrown.
  ///
  /// It blocks no thread of the task pool, so `transform` may wait for tasks.
  package static func map<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ transform: @escaping @Sendable (Element) throws -> Result
  ) async throws -> [Result] {
    let results = await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let results = Mutex<[Int: Swift.Result<Result, any Error>]>([:])
        DispatchQueue.concurrentPerform(iterations: elements.count) { index in
          let result = Swift.Result { try transform(elements[index]) }
          results.withLock { $0[index] = result }
        }
        continuation.resume(returning: results.withLock { $0 })
      }
    }
    return try elements.indices.compactMap { try results[$0]?.get() }
  }
}
