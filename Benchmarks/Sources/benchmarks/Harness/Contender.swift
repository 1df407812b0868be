/// One way to do a workload's work.
@MainActor
struct Contender {
  /// Does exactly that many operations and returns a checksum of what came out.
  ///
  /// Contenders that did the same work, as often, return the same: a different figure is a bug in the
  /// benchmark, and an ignored one would let the compiler delete the work.
  typealias Body = @MainActor (_ operations: Int) -> Int
  /// Builds what a body needs, outside the measured time; the body is called many times.
  typealias Preparation = @MainActor () -> Body

  /// Whose way it is.
  enum Name: String, Codable, CaseIterable, CodingKeyRepresentable {
    /// This package's.
    case ours
    /// The least there is to do: the same closures or calls with nothing between them.
    case loop
    /// Closures by hand, each of which knows the next one only as a closure.
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
    /// FlyingFox's server, with our client: it has none.
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

  /// Whether it is somebody else's library.
  var isPeer: Bool {
    switch self {
    case .peer, .async, .nio, .flyingFox: true
    default: false
    }
  }

  /// Whether it is known to take so long that one round of a sitting must do.
  var isSlow: Bool { self == .async || self == .flyingFox }
}
