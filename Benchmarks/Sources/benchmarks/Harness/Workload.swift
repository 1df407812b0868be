/// A piece of work with several implementations, and the gates and targets of ours.
///
/// ```swift
/// Workload("reactive/subject", "a PublishSubject, one observer", gates: [.allocations(0)]) {
///   let tally = Tally()
///   let subject = PublishSubject<Int>()
///   tally.keep(subject.added(to: tally))
///   return { count in
///     for i in 0..<count { subject.onNext(i) }
///     return tally.take()
///   }
/// } loop: { ... }
/// ```
///
/// The closures stay concrete: they are compiled in this module, where the library's inlinable code
/// is specialised as in a user's program, and called once for a batch of operations.
@MainActor
struct Workload {
  /// Group and name: `reactive/subject`; a point of a curve ends with its size, `reactive/stages@20`.
  let name: String
  /// A short description of one operation.
  let summary: String
  /// How many elements one operation delivers; figures are for one of them.
  let deliveries: Int
  /// The operations of a batch, when their number matters; otherwise a batch fills its time.
  let operations: Int?
  /// How many rounds are enough, in one sitting, when a batch or its preparation takes long.
  let rounds: Int?
  /// The approximate time of the whole workload, in seconds, when its preparation takes long.
  let seconds: Double?
  /// The fewest operations in a batch.
  let leastOperations: Int
  /// The bytes of a message, when an operation exchanges messages: measured in wall-clock time too.
  let messageBytes: Int?
  /// The log in which the contenders record the end of each operation, if latencies are measured.
  let log: LatencyLog?
  /// The CPU time so far of another process that takes part, in nanoseconds.
  let otherProcess: (@MainActor () -> Double)?
  /// The requirements that repeat exactly; they decide the exit code.
  let gates: [Gate]
  /// The goals, which are printed and do not affect the exit code.
  let targets: [Gate]
  /// Runs after each batch, outside of the measured time.
  let afterBatch: (@MainActor () -> Void)?
  /// In the order of their names; at least ours.
  let contenders: [Contender]

  init(
    _ name: String,
    _ summary: String,
    deliveries: Int = 1,
    operations: Int? = nil,
    rounds: Int? = nil,
    seconds: Double? = nil,
    leastOperations: Int = 16,
    messageBytes: Int? = nil,
    log: LatencyLog? = nil,
    otherProcess: (@MainActor () -> Double)? = nil,
    gates: [Gate] = [],
    targets: [Gate] = [],
    others: [Contender.Name: Contender.Preparation] = [:],
    afterBatch: (@MainActor () -> Void)? = nil,
    ours: @escaping Contender.Preparation,
    loop: Contender.Preparation? = nil,
    chain: Contender.Preparation? = nil,
    store: Contender.Preparation? = nil,
    actor: Contender.Preparation? = nil
  ) {
    self.name = name
    self.summary = summary
    self.deliveries = deliveries
    self.operations = operations
    self.rounds = rounds
    self.seconds = seconds
    self.leastOperations = leastOperations
    self.messageBytes = messageBytes
    self.log = log
    self.otherProcess = otherProcess
    precondition(!gates.contains(where: \.isAboutTime), "\(name): a time cannot be a gate.")
    self.gates = gates
    self.targets = targets
    self.afterBatch = afterBatch
    var all = others
    let named: [(Contender.Name, Contender.Preparation?)] = [
      (.ours, ours), (.loop, loop), (.chain, chain), (.store, store), (.actor, actor),
    ]
    for case (let name, let prepare?) in named { all[name] = prepare }
    for (peer, workloads) in peers { all[peer] = all[peer] ?? workloads[name] }
    contenders = Contender.Name.allCases.compactMap { name in
      all[name].map { Contender(name: name, prepare: $0) }
    }
  }

  func contender(_ name: Contender.Name) -> Contender? { contenders.first { $0.name == name } }

  var countsInstructions: Bool { gates.contains(where: \.isOfInstructions) }

  /// The verdicts of the gates and targets on `found`.
  func verdicts(
    on found: Measurement,
    after others: [Measurement],
    judgesTime: Bool
  ) -> [Verdict] {
    func verdicts(_ gates: [Gate], isTarget: Bool) -> [Verdict] {
      gates.filter { !$0.isOfInstructions }.map {
        $0.verdict(on: found, after: others, judgesTime: judgesTime, isTarget: isTarget)
      }
    }
    return verdicts(targets, isTarget: true) + verdicts(gates, isTarget: false)
  }
}
