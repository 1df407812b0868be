/// A piece of work that is done in several ways, and what is asked of ours.
///
/// ```swift
/// Workload("reactive/subject", "a PublishSubject, one observer", gates: [.allocations(0)]) {
///   let tally = Tally()
///   let subject = PublishSubject<Int>()
///   tally.keep(subject.subscribe(onNext: tally.add))
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
  /// The bytes of a message, when messages are what an operation exchanges: measured by the clock on
  /// the wall too.
  let messageBytes: Int?
  /// Where the contenders note when each operation ends, when that counts.
  let log: LatencyLog?
  let gates: [Gate]
  /// In the order of the table: ours, loop, peer, raw; at least ours.
  let contenders: [Contender]

  init(
    _ name: String,
    _ summary: String,
    deliveries: Int = 1,
    operations: Int? = nil,
    messageBytes: Int? = nil,
    log: LatencyLog? = nil,
    gates: [Gate] = [],
    ours: @escaping @MainActor () -> Contender.Body,
    loop: (@MainActor () -> Contender.Body)? = nil,
    raw: (@MainActor () -> Contender.Body)? = nil
  ) {
    self.name = name
    self.summary = summary
    self.deliveries = deliveries
    self.operations = operations
    self.messageBytes = messageBytes
    self.log = log
    self.gates = gates
    contenders = [
      Contender(name: .ours, prepare: ours),
      loop.map { Contender(name: .loop, prepare: $0) },
      peers[name].map { Contender(name: .peer, prepare: $0) },
      raw.map { Contender(name: .raw, prepare: $0) },
    ].compactMap(\.self)
  }

  func contender(_ name: Contender.Name) -> Contender? { contenders.first { $0.name == name } }
}
