import Foundation
import Reactive
import ReactiveTesting
import Synchronization

/// Code that a page shows, and that runs in virtual time.
package struct Example: Sendable {
  /// The code, after which the clock advances by a minute and the bag is released.
  package typealias Body = @Sendable (TestScheduler, DisposeBag) async throws -> Void

  private let file: String
  private let line: Int
  private let body: Body

  init(file: String, line: Int, body: @escaping Body) {
    self.file = file
    self.line = line
    self.body = body
  }

  /// Runs the code, and returns the lines that it prints.
  package func run() async throws -> [String] {
    let output = ExampleOutput()
    try await ExampleOutput.$current.withValue(output) {
      let scheduler = TestScheduler(
        initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
      // A task, because `mock` takes no async closure; the task inherits what is set around it.
      var task: Task<Void, any Error>?
      SharingScheduler.mock(scheduler: scheduler) {
        task = Task { [body] in
          let bag = DisposeBag()
          try await body(scheduler, bag)
          scheduler.advanceTo(60_000)
          withExtendedLifetime(bag) {}
        }
      }
      try await task?.value
    }
    return output.lines.withLock { $0 }
  }

  /// The source text of the code: the closure that follows the call of the page's initializer.
  package func source() throws -> String {
    let lines = try String(contentsOfFile: file, encoding: .utf8).components(separatedBy: "\n")
    let call = lines[(line - 1)...]
    let indentation = call.first?.prefix { $0 == " " } ?? ""
    guard let first = call.firstIndex(where: { $0.hasPrefix("\(indentation)) {") }),
      let last = lines[first...].firstIndex(of: "\(indentation)}")
    else { throw ExampleError.noClosure(file: file, line: line) }
    let code = lines[(first + 1)..<last]
    let margin = indentation.count + 2
    return code.map { String($0.dropFirst(margin)) }.joined(separator: "\n")
  }
}

/// An example whose text cannot be found.
package enum ExampleError: Error {
  /// No closure follows the call; write it after the other arguments, as the formatter does.
  case noClosure(file: String, line: Int)
}

/// What the running example has printed.
private final class ExampleOutput: Sendable {
  @TaskLocal static var current: ExampleOutput?
  let lines = Mutex<[String]>([])
}

/// Adds a line to the output of the running example.
///
/// Examples call it as they would call the function of the standard library. It has the same
/// parameters, so that it hides that function.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  let line = items.map { "\($0)" }.joined(separator: separator)
  ExampleOutput.current?.lines.withLock { $0.append(line) }
}
