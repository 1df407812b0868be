/// One way to do a workload's work: ours, the hand-written loop or chain of closures, OpenCombine's
/// (the peer), swift-async-algorithms', or raw TCP's.
@MainActor
struct Contender {
  /// Does exactly that many operations and returns a checksum of what came out.
  ///
  /// Contenders that did the same work, as often, return the same: a different figure is a bug in the
  /// benchmark, and an ignored one would let the compiler delete the work.
  typealias Body = @MainActor (_ operations: Int) -> Int

  enum Name: String, Codable, CaseIterable, CodingKeyRepresentable {
    case ours, loop, chain, peer, async, raw
  }

  let name: Name
  /// Builds what the body needs, outside the measured time; the body is called many times.
  let prepare: @MainActor () -> Body
}
