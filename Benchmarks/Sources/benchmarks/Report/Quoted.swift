/// The costs of other libraries for the same work, with those of contenders that were measured beside them.
///
/// Measured on Swift 6.3.1 (Linux, release, 2 cores) in November 2026, and quoted: no run of these
/// benchmarks builds them. A contender that was measured then and is measured now scales the figures to the
/// machine. Without such a contender they are not scaled: read them as orders of magnitude.
struct Quoted {
  enum Library: String, CaseIterable {
    case rxSwift = "RxSwift"
    case reactiveSwift = "ReactiveSwift"
    case rxCompose = "RxCompose"
    case reactorKit = "ReactorKit"
    case rxFeedback = "RxFeedback"
    case reSwift = "ReSwift"
    case reactiveFeedback = "Loop"
    case mobius = "Mobius"
    case tca = "TCA"
    case nio = "SwiftNIO"
    case flyingFox = "FlyingFox"
    case gorilla = "gorilla (Go)"
    case ws = "ws (Node)"
    case websockets = "websockets (Python)"
  }

  /// Nanoseconds for one delivery or operation: of CPU, or for messages of the wall clock.
  let costs: [Library: Double]
  /// The contenders measured beside them, in the same unit.
  let beside: [Contender.Name: Double]

  static let source = "measured on Swift 6.3.1 (Linux, 2 cores), Nov 2026, quoted"

  var rxSwift: Double? { costs[.rxSwift] }

  /// The contender that scales the figures: OpenCombine where it has the operator, otherwise the loop or raw
  /// TCP, otherwise none.
  enum Scale {
    case by(Contender.Name, was: Double)
    case none
  }

  var scale: Scale {
    for name in [Contender.Name.peer, .loop, .raw] {
      if let was = beside[name] { return .by(name, was: was) }
    }
    return .none
  }

  /// The quoted cost divided by ours, scaled to the machine; nil when the scaling contender is not in this
  /// run.
  func timesOurs(_ library: Library, _ found: Measurement) -> Double? {
    guard let cost = costs[library] else { return nil }
    switch scale {
    case .by(let other, let was): return found.timesOurs(other).map { $0 * cost / was }
    case .none:
      let ours =
        found.messageBytes == nil
        ? found.nanoseconds(of: .ours) : found.perSecond(of: .ours).map { 1e9 / $0 }
      return ours.map { cost / $0 }
    }
  }

  /// All workloads with quoted figures.
  static var names: [String] { [] + figures.keys + bytes.keys }
}
