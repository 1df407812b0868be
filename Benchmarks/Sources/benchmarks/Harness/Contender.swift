/// One implementation of a workload.
@MainActor
struct Contender {
  /// Performs exactly that many operations and returns a checksum of the results.
  ///
  /// Contenders that do the same work return the same checksum: a difference is a bug in the benchmark.
  /// Without a checksum the compiler could delete the work.
  typealias Body = @MainActor (_ operations: Int) -> Int
  /// Builds what a body needs, outside the measured time; the body is called many times.
  typealias Preparation = @MainActor () -> Body

  /// The author of the implementation.
  enum Name: String, Codable, CaseIterable, CodingKeyRepresentable {
    /// This package.
    case ours
    /// A lower bound: the same closures or calls without a library.
    case loop
    /// Hand-written closures, each of which calls the next one as a closure.
    case chain
    /// A store by hand: an array of actions and a switch.
    case store
    /// An actor of the language.
    case actor
    /// A timer source of the system for each timer.
    case source
    /// OpenCombine.
    case peer
    /// `AsyncStream` and swift-async-algorithms.
    case async
    /// TCP without frames, by blocking calls.
    case raw
    /// SwiftNIO's WebSocket channel handlers.
    case nio
    /// FlyingFox's server with our client, because FlyingFox has no client.
    case flyingFox
  }

  let name: Name
  let prepare: Preparation
}

extension Contender.Name {
  /// For tables and pictures.
  var title: String {
    switch self {
    case .ours: "ours"
    case .loop: "loop"
    case .chain: "closures by hand"
    case .store: "store by hand"
    case .actor: "actor"
    case .source: "a DispatchSource each"
    case .peer: "OpenCombine"
    case .async: "async sequences"
    case .raw: "raw TCP"
    case .nio: "SwiftNIO"
    case .flyingFox: "FlyingFox"
    }
  }

  /// Whether the contender is another library.
  var isPeer: Bool {
    switch self {
    case .peer, .async, .nio, .flyingFox: true
    default: false
    }
  }

  /// Whether the contender is so slow that it runs in one round of a sitting only.
  var isSlow: Bool { self == .async || self == .flyingFox }
}
