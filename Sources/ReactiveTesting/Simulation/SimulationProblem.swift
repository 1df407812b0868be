/// Something that has happened in a simulation.
public struct SimulationEvent: Hashable, Sendable, CustomStringConvertible {
  /// The time since the beginning.
  public let time: Duration
  /// What has happened, such as `server stops`.
  public let text: String

  init(time: UInt64, text: String) {
    (self.time, self.text) = (.nanoseconds(Int64(time)), text)
  }

  /// The time in seconds and what has happened: `12.250 s  server stops`.
  public var description: String { "\(Self.seconds(time.nanoseconds)) s  \(text)" }

  /// Nanoseconds as seconds with three decimals.
  static func seconds(_ nanoseconds: UInt64) -> String {
    let milliseconds = nanoseconds / 1_000_000
    return "\(milliseconds / 1_000).\(String(milliseconds % 1_000 + 1_000).dropFirst())"
  }
}

/// What was wrong in a simulation.
public enum SimulationProblem: Error, Hashable, Sendable {
  /// A condition that holds always did not hold; the detail may be another one in each run.
  case violated(String, detail: String = "")
  /// A condition did not hold within its time.
  case missed(String, within: Duration)
  /// A million jobs have run within ten milliseconds, and others are ready: most of them on this host, or in the
  /// simulation itself for nil. The same of 250,000 steps of composers, and of a host that starts a thousand times
  /// at one moment.
  case endless(host: String?, at: Duration)
  /// The closure of a host has thrown an error, or one that the simulation calls.
  case thrown(String)
  /// Something on a host was not decided by the simulation: another thread or another host has called it,
  /// a task sleeps in real time, or a job has waited for something real; the same of a closure or a condition
  /// of the simulation itself for nil.
  case unsteered(host: String?, String)
  /// Two runs of one seed differ from this job on: something depends on other numbers, clocks or threads
  /// than those of the simulation.
  case differs(job: Int, first: String, second: String)
}

extension SimulationProblem {
  /// Whether this is the problem of another run of the same simulation, apart from its time.
  package func isLike(_ other: SimulationProblem) -> Bool {
    switch (self, other) {
    case (.violated(let rule, _), .violated(let other, _)): rule == other
    case (.endless(let host, _), .endless(let other, _)): host == other
    case (.differs, .differs): true
    default: self == other
    }
  }
}

extension SimulationProblem: CustomStringConvertible {
  /// The problem in one sentence.
  public var description: String {
    switch self {
    case .violated(let name, let detail):
      "\"\(name)\" does not hold" + (detail.isEmpty ? "." : ": \(detail).")
    case .missed(let name, let limit): "\"\(name)\" did not hold within \(limit)."
    case .endless(let host, let time):
      "Something repeats itself without a delay at \(time), most of it on \(host.map { "\"\($0)\"" } ?? "no host"): a million jobs, 250,000 steps of composers or a thousand starts."
    case .thrown(let error): "An error was thrown: \(error)"
    case .unsteered(let host?, let what):
      "The simulation does not decide what happens on \"\(host)\": \(what)."
    case .unsteered(nil, let what): "The simulation does not decide what happens: \(what)."
    case .differs(let job, let first, let second):
      "Two runs of the seed differ at job \(job). First: \(first). Second: \(second)."
    }
  }
}
