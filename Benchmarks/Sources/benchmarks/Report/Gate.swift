/// A requirement on ours.
enum Gate {
  /// At most this part of the time that RxSwift took, as quoted and scaled to this machine.
  case shareOfRxSwift(Double)
  /// At most this part of the bytes that RxSwift held at once, as quoted.
  case shareOfRxSwiftBytes(Double)
  /// At most that many bytes held at once, for one operation.
  case bytes(Double)
  /// At most that many times the time of another contender.
  case times(Double, Contender.Name)
  /// At most that many times the time of the same work at another size.
  case timesWorkload(Double, String)
  /// Less than that many nanoseconds of CPU.
  case nanoseconds(Double)
  /// Less than that many nanoseconds of CPU more than the same work under other conditions.
  case nanosecondsOver(Double, String)
  /// A median latency of at most so many times raw TCP's.
  case latencyByRaw(Double)
  /// A 99th percentile of the latency of at most that many times the same work's under other conditions.
  case latencyByWorkload(Double, String)
  /// A median latency of at most so many microseconds.
  case microseconds(Double)
  /// More deliveries in a second of wall-clock time.
  case perSecond(Double)
  /// More megabytes in a second of wall-clock time, one way.
  case megabytesPerSecond(Double)
  /// At most the figure in `Thresholds.json`.
  case stored(Thresholds.Figure)
  /// At most that many allocations.
  case allocations(Double)
  /// No byte kept after that many operations, the first batches aside.
  case keepsNothing(after: Int)
}

/// The result of a gate or target.
struct Verdict: Codable {
  enum Outcome: String, Codable {
    /// A gate.
    case pass, fail
    /// A target.
    case met, missed
    /// Not judged: measured too briefly, or not comparable.
    case info
  }

  let workload: String
  let outcome: Outcome
  let target: String
  let figure: String

  init(on workload: String, _ finding: Gate.Finding, isTarget: Bool) {
    self.workload = workload
    target = finding.target
    figure = finding.figure
    outcome =
      switch (finding.holds, isTarget) {
      case (nil, _): .info
      case (let holds?, false): holds ? .pass : .fail
      case (let holds?, true): holds ? .met : .missed
      }
  }
}

extension Gate {
  /// Judges `measurement`, which follows `others`; times only when `judgesTime`.
  @MainActor
  func verdict(
    on measurement: Measurement,
    after others: [Measurement],
    judgesTime: Bool,
    isTarget: Bool
  ) -> Verdict {
    var finding = finding(in: measurement, after: others)
    let isJudged = isAboutTime ? judgesTime : CountedHeap.isCounted
    if !isJudged { finding.holds = nil }
    return Verdict(on: measurement.name, finding, isTarget: isTarget)
  }

  /// Whether only callgrind can measure it.
  var isOfInstructions: Bool {
    if case .stored(.instructions) = self { true } else { false }
  }

  /// Whether other processes affect it: such a requirement can only be a target.
  var isAboutTime: Bool {
    switch self {
    case .allocations, .bytes, .keepsNothing, .shareOfRxSwiftBytes, .stored: false
    default: true
    }
  }

  /// The target and the figure in words; whether it holds, nil when it could not be measured.
  @MainActor
  private func finding(in found: Measurement, after others: [Measurement]) -> Finding {
    /// The figures of this workload and of another one that was measured before.
    func figures(
      of name: String, _ figure: (Measurement) -> Double?
    ) -> (ours: Double, other: Double)? {
      guard let ours = figure(found),
        let other = others.first(where: { $0.name == name }).flatMap(figure)
      else { return nil }
      return (ours, other)
    }
    switch self {
    case .shareOfRxSwift(let limit):
      return Self.shareOfRxSwift(limit, found)
    case .shareOfRxSwiftBytes(let limit):
      guard let quoted = Quoted.bytes[found.name] else { return ("", "nothing is quoted", nil) }
      let target = "at most \(limit) of RxSwift's \(quoted.significant(4)) B"
      let share = found.live / quoted
      return (target, "\(share.ratio(3)) (\(found.live.significant(4)) B)", share <= limit)
    case .bytes(let limit):
      let target = "at most \(limit.significant(4)) B"
      return (target, "\(found.live.significant(4)) B", found.live <= limit)
    case .times(let limit, let other):
      let target = "at most \(limit.significant(3)) times the \(other)"
      guard let ratio = found.ratio(to: other) else { return (target, "not in this run", nil) }
      return (target, ratio.significant(3), ratio <= limit)
    case .timesWorkload(let limit, let name):
      let target = "at most \(limit.significant(3)) times \(name)"
      guard let (ours, other) = figures(of: name, { $0.nanoseconds(of: .ours) }) else {
        return (target, "not in this run", nil)
      }
      return (target, (ours / other).significant(3), ours / other <= limit)
    case .nanoseconds(let limit):
      let figure = found.nanoseconds(of: .ours) ?? .infinity
      return ("under \(limit.significant(3)) ns of CPU", figure.significant(3), figure < limit)
    case .nanosecondsOver(let limit, let name):
      let target = "under \(limit.significant(3)) ns of CPU more than \(name)"
      guard let (ours, other) = figures(of: name, { $0.nanoseconds(of: .ours) }) else {
        return (target, "not in this run", nil)
      }
      return (target, (ours - other).significant(3), ours - other < limit)
    case .latencyByRaw(let limit):
      let target = "p50 at most \(limit.significant(3)) times raw TCP's"
      guard let ratio = found.latencyRatio(to: .raw) else { return (target, "not timed", nil) }
      return (target, ratio.significant(3), ratio <= limit)
    case .latencyByWorkload(let limit, let name):
      let target = "p99 at most \(limit.significant(3)) times \(name)"
      guard let (ours, other) = figures(of: name, { $0.p99(of: .ours) }) else {
        return (target, "not in this run", nil)
      }
      return (target, (ours / other).significant(3), ours / other <= limit)
    case .microseconds(let limit):
      let figure = (found.p50(of: .ours) ?? .infinity) / 1000
      return ("p50 at most \(limit.significant(3)) us", figure.significant(3), figure <= limit)
    case .perSecond(let limit):
      let figure = found.perSecond(of: .ours) ?? 0
      return ("over \(limit.significant(3)) a second", figure.significant(3), figure > limit)
    case .megabytesPerSecond(let limit):
      let figure = (found.perSecond(of: .ours) ?? 0) * Double(found.messageBytes ?? 0) / 1e6
      return ("over \(limit.significant(3)) MB a second", figure.significant(3), figure > limit)
    case .stored(let kind):
      return Thresholds.stored.finding(kind, found.figure(kind), of: found.name)
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

  /// The target and the figure in words; whether it holds, nil when that is unknown.
  typealias Finding = (target: String, figure: String, holds: Bool?)

  private static func shareOfRxSwift(_ limit: Double, _ found: Measurement) -> Finding {
    guard let quoted = Quoted.figures[found.name], let rxSwift = quoted.rxSwift else {
      return ("", "nothing is quoted", nil)
    }
    let target = "at most \(limit) of RxSwift's \(rxSwift.significant(5)) ns"
    let scale =
      switch quoted.scale {
      case .by(let other, _): "scaled by the \(other)"
      case .none: "not scaled"
      }
    guard let times = quoted.timesOurs(.rxSwift, found) else {
      return (target, "what it is scaled by is not in this run", nil)
    }
    return ("\(target), \(scale)", (1 / times).ratio(3), 1 / times <= limit)
  }

  /// The number of operations for the measurement of the heap; nil for the runner's choice.
  var operations: Int? {
    switch self {
    case .keepsNothing(let operations): operations
    case .stored: 10_000
    default: nil
    }
  }
}
