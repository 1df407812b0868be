extension Simulation {
  /// Finds a small part of a failed simulation that fails in the same way.
  ///
  /// It leaves out faults, hosts and actions and shortens the time, again and again, and keeps what still fails with
  /// the same problem. A part that fails also without any faults is not kept, unless the whole simulation does:
  /// without its server, a client never connects.
  ///
  /// - Parameters:
  ///   - failure: failure of the simulation.
  ///   - limit: real time after which the smallest part so far is returned: a minute.
  ///   - setUp: adds the same hosts, faults and conditions as for `failure`; called for each run.
  /// - Returns: the failure of the smallest part; its story has the events of that part alone.
  public static func smallest(
    _ failure: SimulationFailure, within limit: Duration = .seconds(60),
    _ setUp: (SimulatedWorld) throws -> Void
  ) -> SimulationFailure {
    withoutActuallyEscaping(setUp) { setUp in
      var shrinker = SimulationShrinker(failure, limit, setUp)
      return shrinker.smallest()
    }
  }
}

/// Makes a failed simulation smaller while it fails in the same way.
private struct SimulationShrinker {
  private let setUp: (SimulatedWorld) throws -> Void
  private let deadline: ContinuousClock.Instant
  private let original: SimulationFailure
  private var smallestFailure: SimulationFailure
  /// Whether the simulation has the problem only with faults.
  private var needsFaults = false

  init(
    _ failure: SimulationFailure, _ limit: Duration,
    _ setUp: @escaping (SimulatedWorld) throws -> Void
  ) {
    (original, smallestFailure, self.setUp) = (failure, failure, setUp)
    deadline = .now + limit
  }

  mutating func smallest() -> SimulationFailure {
    needsFaults = fails(without(original.part, \.faults), original.duration) == nil
    // With time to spare: what is left out changes when it is found.
    while take(smallestFailure.part, smallestFailure.duration / 2) {}
    var isSmaller = true
    while isSmaller, ContinuousClock.now < deadline {
      isSmaller = false
      if reduce(\.faults, 1...max(1, original.extent.faultCount)) { isSmaller = true }
      if leaveOutHosts() { isSmaller = true }
      if reduce(\.actions, 1...max(1, original.extent.actionCount)) { isSmaller = true }
    }
    shorten()
    return smallestFailure
  }

  // MARK: Runs

  private func without(
    _ part: SimulationPart, _ numbers: WritableKeyPath<SimulationPart, Set<Int>?>
  ) -> SimulationPart {
    var part = part
    part[keyPath: numbers] = []
    return part
  }

  /// The failure of a run with the same problem; nil for another one, or none.
  private func fails(_ part: SimulationPart, _ duration: Duration) -> SimulationFailure? {
    do throws(SimulationFailure) {
      if case .differs = original.problem {
        _ = try Simulation.twice(seed: original.seed, for: duration, only: part, setUp)
      } else {
        try Simulation(seed: original.seed, for: duration, only: part, setUp)
      }
      return nil
    } catch {
      return error.problem.isLike(original.problem) ? error : nil
    }
  }

  /// Takes a smaller run if it fails in the same way.
  private mutating func take(_ part: SimulationPart, _ duration: Duration) -> Bool {
    guard duration > .milliseconds(1), ContinuousClock.now < deadline,
      let failure = fails(part, duration)
    else { return false }
    let faults = smallestFailure.part.faults
    let isCalmRunKnown =
      part.faults != faults && duration == smallestFailure.duration
      && part.hosts == smallestFailure.part.hosts && part.actions == smallestFailure.part.actions
    if needsFaults, !isCalmRunKnown, fails(without(part, \.faults), duration) != nil {
      return false
    }
    smallestFailure = failure
    return true
  }

  // MARK: Steps

  private mutating func shorten() {
    let needed = smallestFailure.time + .nanoseconds(1)
    // What is found during the run needs no more time than that.
    if needed < smallestFailure.duration, take(smallestFailure.part, needed) { return }
    for (numerator, denominator) in [(1, 2), (3, 4)] {
      var shorter: Duration { smallestFailure.duration * numerator / denominator }
      while take(smallestFailure.part, shorter) {}
    }
  }

  private mutating func leaveOutHosts() -> Bool {
    var isSmaller = false
    for host in original.extent.hosts {
      var part = smallestFailure.part
      var hosts = part.hosts ?? Set(original.extent.hosts)
      guard hosts.remove(host) != nil else { continue }
      part.hosts = hosts
      if take(part, smallestFailure.duration) { isSmaller = true }
    }
    return isSmaller
  }

  /// Leaves out numbers: all, then halves, quarters and so on (delta debugging).
  private mutating func reduce(
    _ numbers: WritableKeyPath<SimulationPart, Set<Int>?>, _ all: ClosedRange<Int>
  ) -> Bool {
    func kept() -> [Int] {
      (smallestFailure.part[keyPath: numbers] ?? Set(all)).sorted()
    }
    let before = kept().count
    guard before > 0 else { return false }
    if take(without(smallestFailure.part, numbers), smallestFailure.duration) { return true }
    var pieces = 2
    while kept().count > 1 {
      let current = kept()
      let size = (current.count + pieces - 1) / pieces
      var isSmaller = false
      for start in stride(from: 0, to: current.count, by: size) {
        let piece = Set(current[start..<min(start + size, current.count)])
        var part = smallestFailure.part
        part[keyPath: numbers] = Set(kept()).subtracting(piece)
        if take(part, smallestFailure.duration) { isSmaller = true }
      }
      if isSmaller {
        pieces = 2
      } else if size == 1 {
        break
      } else {
        pieces = min(pieces * 2, current.count)
      }
      if ContinuousClock.now >= deadline { break }
    }
    return kept().count < before
  }
}
