import Foundation
import Reactive

/// A deliberate fault of the fast path of `reactive/subject`, which its gates must detect:
/// `BENCHMARK_BREAK=allocation`.
enum Breakage: String {
  /// One allocation for each element.
  case allocation
  /// A few hundred instructions for each element.
  case instructions

  static let wanted: Breakage? = {
    guard let name = ProcessInfo.processInfo.environment["BENCHMARK_BREAK"] else { return nil }
    guard let breakage = Breakage(rawValue: name) else {
      fatalError("BENCHMARK_BREAK is allocation or instructions, not \(name).")
    }
    return breakage
  }()

  /// Subscribes an observer to `source` that wastes something on each element.
  @MainActor
  static func breaking(_ source: PublishSubject<Int>, _ tally: Tally) -> (any Disposable)? {
    wanted.map { breakage in
      source.do(onNext: { breakage.waste($0) }).added(to: tally)
    }
  }

  private func waste(_ element: Int) {
    switch self {
    case .allocation: consume(ObjectIdentifier(Box(element)).hashValue)
    case .instructions: for _ in 0..<10 { consume(element) }
    }
  }

  private final class Box {
    let element: Int

    init(_ element: Int) { self.element = element }
  }
}
