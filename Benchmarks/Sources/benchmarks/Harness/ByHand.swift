/// Code without a library: the loops and chains that ours is compared with.
@MainActor
enum ByHand {
  /// Calls the closure of `build` with each element.
  static func calling(_ build: (Tally) -> @Sendable (Int) -> Void) -> Contender.Body {
    let tally = Tally()
    let body = build(tally)
    return { count in
      for element in 0..<count { body(element) }
      return tally.take()
    }
  }

  /// Calls `observers` observers with each element.
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

  /// A stage that calls the next one by a closure, as stages that are combined at run time must.
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
