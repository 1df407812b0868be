/// A piece of work that is done in several ways, and what is asked of ours.
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
/// Both closures stay concrete: they are compiled in this module, where the library's inlinable code
/// is specialised as in a user's program, and called once for a batch of operations.
@MainActor
struct Workload {
  /// Group and name: `reactive/subject`.
  let name: String
  /// What one operation is, in a few words.
  let summary: String
  /// How many elements one operation delivers; figures are for one of them.
  let deliveries: Int
  /// The operations of a batch, when their number means something; otherwise a batch fills its time.
  let operations: Int?
  /// How many rounds are enough, when a batch takes long.
  let rounds: Int?
  /// The bytes of a message, when messages are what an operation exchanges: measured by the clock on
  /// the wall too.
  let messageBytes: Int?
  /// Where the contenders note when each operation ends, when that counts.
  let log: LatencyLog?
  /// What must hold; decides the exit code.
  let gates: [Gate]
  /// What is aimed at: told, and decides nothing.
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
    messageBytes: Int? = nil,
    log: LatencyLog? = nil,
    gates: [Gate] = [],
    targets: [Gate] = [],
    afterBatch: (@MainActor () -> Void)? = nil,
    ours: @escaping @MainActor () -> Contender.Body,
    loop: (@MainActor () -> Contender.Body)? = nil,
    chain: (@MainActor () -> Contender.Body)? = nil,
    raw: (@MainActor () -> Contender.Body)? = nil
  ) {
    self.name = name
    self.summary = summary
    self.deliveries = deliveries
    self.operations = operations
    self.rounds = rounds
    self.messageBytes = messageBytes
    self.log = log
    self.gates = gates
    self.targets = targets
    self.afterBatch = afterBatch
    let named: [(Contender.Name, (@MainActor () -> Contender.Body)?)] = [
      (.ours, ours), (.loop, loop), (.chain, chain), (.peer, peers[name]),
      (.async, asyncPeers[name]), (.raw, raw),
    ]
    contenders = named.compactMap { name, prepare in
      prepare.map { Contender(name: name, prepare: $0) }
    }
  }

  func contender(_ name: Contender.Name) -> Contender? { contenders.first { $0.name == name } }

  var countsInstructions: Bool { gates.contains(where: \.isOfInstructions) }

  /// What the gates and the targets say of `found`.
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
