/// What others cost for the same work, with what ran beside them then.
///
/// Measured on Swift 6.3.1 (Linux, release, 2 cores) in November 2026, and quoted: no run of these
/// benchmarks builds them. A machine's speed is taken out by what ran beside them and runs again now;
/// where nothing did, the figures are taken as they are: read those as orders.
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

  /// Nanoseconds for one delivery or operation: of CPU; where messages are exchanged, of the clock on
  /// the wall.
  let costs: [Library: Double]
  /// What ran beside them, in the same unit.
  let beside: [Contender.Name: Double]

  static let source = "measured on Swift 6.3.1 (Linux, 2 cores), Nov 2026, quoted"

  var rxSwift: Double? { costs[.rxSwift] }

  /// What to divide the time of now by: OpenCombine where it has the operator, else the loop or raw
  /// TCP, else nothing.
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

  /// How many times what ours takes now, scaled to the machine; nil when what it is scaled by is not
  /// in this run.
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

  /// All workloads of which something is quoted.
  static var names: [String] { [] + figures.keys + bytes.keys }
}
