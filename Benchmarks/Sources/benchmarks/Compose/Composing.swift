import Compose

extension Workload {
  /// Many composers.
  static let composing = [composers]

  private static let composers = Workload(
    "compose/composers",
    "10,000 composers made, sent one action each and released; live is bytes per composer",
    operations: 10_000,
    gates: [.keepsNothing(after: 10_000)]
  ) {
    { count in
      var composers: [Composed<Counter.State, Counter.Action>] = []
      composers.reserveCapacity(count)
      for _ in 0..<count { composers.append(Composed(sending: Counter())) }
      for composer in composers { composer.send(.increment) }
      return composers.reduce(0) { $0 + $1.state.count }
    }
  }
}
