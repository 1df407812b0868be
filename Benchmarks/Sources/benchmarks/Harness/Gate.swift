/// What is asked of ours.
enum Gate {
  /// At most this part of the peer's time.
  case shareOfPeer(Double)
  /// Less than so many nanoseconds of CPU.
  case nanoseconds(Double)
  /// A median latency of at most so many times raw TCP's.
  case latencyByRaw(Double)
  /// More deliveries in a second of wall-clock time.
  case perSecond(Double)
  /// At most so many allocations.
  case allocations(Double)
  /// No byte kept after that many operations, the first batches aside.
  case keepsNothing(after: Int)
}

/// A gate and what it found.
struct Verdict: Codable {
  enum Outcome: String, Codable {
    case pass, fail
    /// Measured too shortly, or without a peer: told, not judged.
    case told
  }

  let workload: String
  let outcome: Outcome
  let target: String
  let figure: String
}

extension Gate {
  /// Judges `measurement`; times only when `judgesTime`.
  @MainActor
  func verdict(on measurement: Measurement, judgesTime: Bool) -> Verdict {
    let (target, figure, holds) = finding(in: measurement)
    let isJudged = isAboutTime ? judgesTime : CountedHeap.isCounted
    let outcome: Verdict.Outcome =
      switch holds {
      case .some(let holds) where isJudged: holds ? .pass : .fail
      default: .told
      }
    return Verdict(workload: measurement.name, outcome: outcome, target: target, figure: figure)
  }

  private var isAboutTime: Bool {
    switch self {
    case .shareOfPeer, .nanoseconds, .latencyByRaw, .perSecond: true
    case .allocations, .keepsNothing: false
    }
  }

  /// The target and the figure in words; whether it holds, nil when it could not be measured.
  private func finding(in found: Measurement) -> (target: String, figure: String, Bool?) {
    switch self {
    case .shareOfPeer(let limit):
      let target = "at most \(limit) of the peer's time"
      guard let ratio = found.ratio(to: .peer) else { return (target, "no peer in this run", nil) }
      return (target, ratio.significant(3), ratio <= limit)
    case .nanoseconds(let limit):
      let figure = found.nanoseconds(of: .ours) ?? .infinity
      return ("under \(limit.significant(3)) ns of CPU", figure.significant(3), figure < limit)
    case .latencyByRaw(let limit):
      let target = "p50 at most \(limit.significant(3)) times raw TCP's"
      guard let ratio = found.latencyRatio(to: .raw) else { return (target, "not timed", nil) }
      return (target, ratio.significant(3), ratio <= limit)
    case .perSecond(let limit):
      let figure = found.perSecond(of: .ours) ?? 0
      return ("over \(limit.significant(3)) a second", figure.significant(3), figure > limit)
    case .allocations(let limit):
      let figure = found.allocations
      return ("at most \(limit.significant(3)) allocations", figure.significant(3), figure <= limit)
    case .keepsNothing(let operations):
      let heap = found.heap
      let figure =
        "\(heap.kept) B (mallinfo2 \(heap.inUseChange.signed) B, RSS \(heap.residentChange.signed) B)"
      return ("0 B kept after \(operations) operations", figure, heap.kept <= 0)
    }
  }

  /// How many operations the heap is watched for; nil leaves that to the runner.
  var operations: Int? {
    if case .keepsNothing(let operations) = self { operations } else { nil }
  }
}
