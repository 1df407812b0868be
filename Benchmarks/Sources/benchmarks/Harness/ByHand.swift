/// What one would write without a library: the loops and chains that ours is measured against.
@MainActor
enum ByHand {
  /// Calls what `build` makes with each element.
  static func calling(_ build: (Tally) -> @Sendable (Int) -> Void) -> Contender.Body {
    let tally = Tally()
    let body = build(tally)
    return { count in
      for element in 0..<count { body(element) }
      return tally.take()
    }
  }

  /// Calls the observer with each element, so many times.
  static func calling(observers: Int) -> Contender.Body {
    let tally = Tally()
    let add = tally.add
    return { count in
      for element in 0..<count {
        for _ in 0..<observers { add(element) }
      }
      return tally.take()
    }
  }

  /// A stage that knows the next one by its closure alone, as stages that are put together at run
  /// time must.
  @inline(never)
  @_optimize(none)
  nonisolated static func map(
    _ transform: @escaping @Sendable (Int) -> Int,
    _ next: @escaping @Sendable (Int) -> Void
  ) -> @Sendable (Int) -> Void { { next(transform($0)) } }

  /// The same for a filter.
  @inline(never)
  @_optimize(none)
  nonisolated static func filter(
    _ isIncluded: @escaping @Sendable (Int) -> Bool,
    _ next: @escaping @Sendable (Int) -> Void
  ) -> @Sendable (Int) -> Void { { if isIncluded($0) { next($0) } } }
}
