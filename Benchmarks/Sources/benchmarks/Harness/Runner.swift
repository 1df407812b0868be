/// Measures workloads.
@MainActor
struct Runner {
  /// The time of a batch of ours, in nanoseconds: long compared with the cost of the clock, short
  /// compared with changes of the machine's speed.
  let batch: Double
  /// The rounds of a sitting, without the first.
  let rounds: Int
  /// How often the contenders are prepared anew: the placement in memory changes their times, and the
  /// difference of the sittings shows by how much.
  let sittings: Int

  static let full = Runner(batch: 20e6, rounds: 7, sittings: 3)
  static let quick = Runner(batch: 2e6, rounds: 5, sittings: 1)

  /// Contenders that should have done the same work returned different checksums.
  struct DifferentWork: Error {
    let workload: String
    let checksums: [Contender.Name: Int]
  }

  /// - Throws: `DifferentWork`, or `Interrupt.Requested` between two batches.
  func measure(_ workload: Workload) throws -> Measurement {
    let operations = try workload.operations ?? operationsForBatch(of: workload)
    let isLong = workload.rounds != nil
    return Measurement(
      name: workload.name,
      operations: operations,
      deliveries: workload.deliveries,
      messageBytes: workload.messageBytes,
      rounds: try (0..<(isLong ? 1 : sittings)).flatMap { sitting in
        try rounds(of: workload, operations: operations, sitting: sitting)
      },
      heap: heap(of: workload, operations: operations)
    )
  }

  /// Measures the heap only.
  func weigh(_ workload: Workload) -> Measurement {
    Measurement(
      name: workload.name,
      operations: 0,
      deliveries: workload.deliveries,
      messageBytes: nil,
      rounds: [],
      heap: heap(of: workload, operations: workload.operations ?? 1)
    )
  }

  /// The expected time of `measure`, in seconds, from the batches of ours.
  func nominalSeconds(of workload: Workload) -> Double {
    if let seconds = workload.seconds { return seconds }
    let rounds = min(rounds, workload.rounds ?? rounds) + 1
    let batches = rounds * (workload.rounds == nil ? sittings : 1) * workload.contenders.count
    return 0.1 + Double(batches) * batch * 1.5 / 1e9
  }

  /// How many operations fill a batch of ours.
  private func operationsForBatch(of workload: Workload) throws -> Int {
    guard let body = workload.contender(.ours)?.prepare() else { return 1 }
    var operations = workload.leastOperations
    while true {
      try Interrupt.check()
      let time = timed(body, workload, operations: operations).cpu
      workload.afterBatch?()
      if time > batch / 4 {
        return max(workload.leastOperations, Int(Double(operations) * batch / time))
      }
      operations *= 2
    }
  }

  /// Runs the contenders in turn.
  ///
  /// The first contender changes from round to round, because a batch finds the caches of its
  /// predecessor. A batch has the same number of operations for all; a peer that takes much longer than
  /// ours runs in some of the rounds.
  private func rounds(of workload: Workload, operations: Int, sitting: Int) throws -> [Round] {
    let contenders = workload.contenders.map { (name: $0.name, body: $0.prepare()) }
    let rounds = min(rounds, workload.rounds ?? rounds)
    // One in how many rounds.
    var share: [Contender.Name: Int] = [:]
    for name in contenders.map(\.name) where name.isSlow { share[name] = rounds }
    // The first round warms up and is dropped.
    return try Array(
      (0...rounds).map { number in
        var found: [Contender.Name: (cpu: Double, wall: Double, checksum: Int)] = [:]
        var latencies: [Contender.Name: Latency] = [:]
        for position in contenders.indices {
          let (name, body) = contenders[(position + number) % contenders.count]
          if let share = share[name], number == 0 || number % share != 0 { continue }
          try Interrupt.check()
          let batch = timed(body, workload, operations: operations)
          workload.afterBatch?()
          found[name] = batch
          latencies[name] = workload.log?.take()
          if number == 0, name.isPeer { share[name] = self.share(of: batch.wall, in: rounds) }
        }
        // A contender that skips rounds was compared in the first round; in others its checksum may
        // differ, because a scan carries its result from batch to batch.
        let checksums = found.mapValues(\.checksum).filter { name, _ in
          number == 0 || name.isSlow || share[name] == nil
        }
        guard Set(checksums.values).count == 1 else {
          throw DifferentWork(workload: workload.name, checksums: checksums)
        }
        let deliveries = Double(operations * workload.deliveries)
        return Round(
          sitting: sitting,
          nanoseconds: found.mapValues { $0.cpu / deliveries },
          wall: found.mapValues { $0.wall / deliveries },
          latencies: latencies
        )
      }
      .dropFirst()
    )
  }

  /// The part of the rounds in which a peer with batches of that time runs; all when nil.
  private func share(of nanoseconds: Double, in rounds: Int) -> Int? {
    let share = Int(nanoseconds / (5 * batch))
    return share > 1 && rounds > 3 ? min(share, rounds) : nil
  }

  /// Measures the heap, outside of the timed rounds.
  ///
  /// The smallest of three attempts counts, because other threads of the process can only add.
  private func heap(of workload: Workload, operations: Int) -> CountedHeap {
    // At most a batch whose size is given, such as a number of connections.
    let judged = workload.gates.compactMap(\.operations).max() ?? operations
    let operations = min(judged, workload.operations ?? judged)
    guard let body = workload.contender(.ours)?.prepare() else {
      preconditionFailure("\(workload.name) has no contender of ours.")
    }
    let batch: Contender.Body = { operations in
      defer { workload.afterBatch?() }
      return body(operations)
    }
    consume(batch(operations))
    var least = CountedHeap.watching(batch, operations: operations)
    for _ in 0..<2 where least.allocations > 0 || least.kept > 0 {
      let next = CountedHeap.watching(batch, operations: operations)
      if (next.allocations, next.kept) < (least.allocations, least.kept) { least = next }
    }
    return least
  }

  private func timed(
    _ body: Contender.Body,
    _ workload: Workload,
    operations: Int
  ) -> (cpu: Double, wall: Double, checksum: Int) {
    func cpu() -> Double { cpuNanoseconds() + (workload.otherProcess?() ?? 0) }
    let (before, wall) = (cpu(), wallNanoseconds())
    let checksum = body(operations)
    return (cpu() - before, wallNanoseconds() - wall, checksum)
  }
}
