/// Measures workloads.
@MainActor
struct Runner {
  /// How long a batch of ours runs, in nanoseconds: long beside the clock's own cost, short beside the
  /// changes of a machine's speed.
  let batch: Double
  let rounds: Int

  static let full = Runner(batch: 20e6, rounds: 21)
  static let quick = Runner(batch: 2e6, rounds: 5)

  /// Contenders that should have done the same work returned different checksums.
  struct DifferentWork: Error {
    let workload: String
    let checksums: [Contender.Name: Int]
  }

  func measure(_ workload: Workload) throws -> Measurement {
    let operations = workload.operations ?? operationsForBatch(of: workload)
    return Measurement(
      name: workload.name,
      operations: operations,
      deliveries: workload.deliveries,
      messageBytes: workload.messageBytes,
      rounds: try rounds(of: workload, operations: operations),
      heap: heap(of: workload, operations: operations)
    )
  }

  /// Looks at the heap alone.
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

  /// How many operations fill a batch of ours.
  private func operationsForBatch(of workload: Workload) -> Int {
    guard let body = workload.contender(.ours)?.prepare() else { return 1 }
    var operations = 16
    while true {
      let time = timed(body, operations: operations).cpu
      workload.afterBatch?()
      if time > batch / 4 { return max(1, Int(Double(operations) * batch / time)) }
      operations *= 2
    }
  }

  /// Runs the contenders in turn.
  ///
  /// Who begins changes from round to round, since a batch finds the caches as its predecessor left
  /// them. The async sequences are slow, and come once in seven rounds.
  private func rounds(of workload: Workload, operations: Int) throws -> [Round] {
    let contenders = workload.contenders.map { (name: $0.name, body: $0.prepare()) }
    // The first round warms up and is dropped.
    return try Array(
      (0...min(rounds, workload.rounds ?? rounds)).map { number in
        var times: [Contender.Name: Double] = [:]
        var wall = times
        var latencies: [Contender.Name: Latency] = [:]
        var checksums: [Contender.Name: Int] = [:]
        for position in contenders.indices {
          let contender = contenders[(position + number) % contenders.count]
          if contender.name == .async, number % 7 != 0 { continue }
          let found = timed(contender.body, operations: operations)
          workload.afterBatch?()
          let deliveries = Double(operations * workload.deliveries)
          times[contender.name] = found.cpu / deliveries
          wall[contender.name] = found.wall / deliveries
          latencies[contender.name] = workload.log?.take()
          checksums[contender.name] = found.checksum
        }
        guard Set(checksums.values).count == 1 else {
          throw DifferentWork(workload: workload.name, checksums: checksums)
        }
        return Round(nanoseconds: times, wall: wall, latencies: latencies)
      }
      .dropFirst()
    )
  }

  /// Watches the heap, apart from the time.
  ///
  /// Of three attempts the smallest counts: what another thread of the process allocates meanwhile can
  /// only add.
  private func heap(of workload: Workload, operations: Int) -> CountedHeap {
    let operations = workload.gates.compactMap(\.operations).max() ?? operations
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
    operations: Int
  ) -> (cpu: Double, wall: Double, checksum: Int) {
    let (cpu, wall) = (cpuNanoseconds(), wallNanoseconds())
    let checksum = body(operations)
    return (cpuNanoseconds() - cpu, wallNanoseconds() - wall, checksum)
  }
}
