/// How many subscribers a topic has in other processes, and who wants to know the own number.
///
/// A process that observes the presence of a topic asks for it every 10 seconds. Each process with
/// subscribers answers, and reports changes for 30 seconds after the last question. A count that
/// is not repeated for 30 seconds belongs to a process that has ended. So a topic whose presence is
/// not observed costs nothing, and a process needs no list of the others.
struct TopicPresence {
  private struct Count {
    var subscribers: Int
    var end: Duration
  }

  private var others: [TopicOrigin: Count] = [:]
  /// Until when changes of the own number are reported.
  private var leaseEnd: Duration?

  /// The time between two questions.
  static var interval: Duration { .seconds(10) }
  /// How long a count, and a question, are valid: two of three may be lost.
  private static var validity: Duration { .seconds(30) }
  /// The most processes that are counted: anybody who reaches the broker could send counts.
  private static var processLimit: Int { 4_096 }

  /// The subscribers of all other processes.
  var othersCount: Int { others.values.reduce(0) { $0 + $1.subscribers } }

  /// Notes the count of another process.
  mutating func note(_ subscribers: Int, of origin: TopicOrigin, at now: Duration) {
    if subscribers == 0 {
      others[origin] = nil
    } else if others[origin] != nil || others.count < Self.processLimit {
      others[origin] = Count(subscribers: subscribers, end: now + Self.validity)
    }
  }

  /// Forgets the processes that have reported nothing for too long.
  mutating func expire(at now: Duration) {
    guard others.values.contains(where: { $0.end <= now }) else { return }
    others = others.filter { $0.value.end > now }
  }

  /// Forgets all other processes, when no observer is left.
  mutating func forgetOthers() { others = [:] }

  /// Notes that another process observes.
  mutating func noteQuestion(at now: Duration) { leaseEnd = now + Self.validity }

  /// Whether another process wants to know each change.
  func isObservedElsewhere(at now: Duration) -> Bool { leaseEnd.map { now < $0 } ?? false }
}
