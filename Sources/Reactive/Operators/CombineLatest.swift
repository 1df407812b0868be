extension CombinableType {
  /// Emits what `resultSelector` makes of the latest elements, each time one of them changes and
  /// once all are there.
  ///
  /// Completes when all sources have, or when one that has no element yet leaves the result without a
  /// chance. The first error, or one thrown by `resultSelector`, ends it.
  ///
  ///                      -1------2--|
  ///                      ---a--b------|
  ///     combineLatest(+) ---1a-1b2b---|
  @preconcurrency @inlinable public static func combineLatest<A: Sibling, B: Sibling>(
    _ source1: A, _ source2: B,
    resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b) = ($0.latest(source1), $0.latest(source2))
      return { try resultSelector(a.element, b.element) }
    }
  }

  /// Emits the latest elements as a tuple, each time one of them changes and once both are there.
  @inlinable public static func combineLatest<A: Sibling, B: Sibling>(_ source1: A, _ source2: B)
    -> Combined where Element == (A.Element, B.Element)
  { combineLatest(source1, source2) { ($0, $1) } }

  /// Emits what `resultSelector` makes of the latest elements of three sources, as for two.
  @preconcurrency @inlinable public static func combineLatest<A: Sibling, B: Sibling, C: Sibling>(
    _ source1: A, _ source2: B, _ source3: C,
    resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c) = ($0.latest(source1), $0.latest(source2), $0.latest(source3))
      return { try resultSelector(a.element, b.element, c.element) }
    }
  }

  /// Emits the latest elements of three sources as a tuple, as for two.
  @inlinable public static func combineLatest<A: Sibling, B: Sibling, C: Sibling>(
    _ source1: A, _ source2: B, _ source3: C
  ) -> Combined where Element == (A.Element, B.Element, C.Element) {
    combineLatest(source1, source2, source3) { ($0, $1, $2) }
  }

  /// Emits what `resultSelector` makes of the latest elements of four sources, as for two.
  @preconcurrency @inlinable
  public static func combineLatest<A: Sibling, B: Sibling, C: Sibling, D: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D,
    resultSelector:
      @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d) = (
        $0.latest(source1), $0.latest(source2), $0.latest(source3), $0.latest(source4)
      )
      return { try resultSelector(a.element, b.element, c.element, d.element) }
    }
  }

  /// Emits the latest elements of four sources as a tuple, as for two.
  @inlinable public static func combineLatest<A: Sibling, B: Sibling, C: Sibling, D: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D
  ) -> Combined where Element == (A.Element, B.Element, C.Element, D.Element) {
    combineLatest(source1, source2, source3, source4) { ($0, $1, $2, $3) }
  }

  /// Emits what `resultSelector` makes of the latest elements of five sources, as for two.
  @preconcurrency @inlinable
  public static func combineLatest<A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E,
    resultSelector:
      @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d, e) = (
        $0.latest(source1), $0.latest(source2), $0.latest(source3), $0.latest(source4),
        $0.latest(source5)
      )
      return { try resultSelector(a.element, b.element, c.element, d.element, e.element) }
    }
  }

  /// Emits the latest elements of five sources as a tuple, as for two.
  @inlinable
  public static func combineLatest<A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E
  ) -> Combined where Element == (A.Element, B.Element, C.Element, D.Element, E.Element) {
    combineLatest(source1, source2, source3, source4, source5) { ($0, $1, $2, $3, $4) }
  }

  /// Emits what `resultSelector` makes of the latest elements of six sources, as for two.
  @preconcurrency @inlinable
  public static func combineLatest<
    A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling
  >(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F,
    resultSelector:
      @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) throws
      -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d, e, f) = (
        $0.latest(source1), $0.latest(source2), $0.latest(source3), $0.latest(source4),
        $0.latest(source5), $0.latest(source6)
      )
      return {
        try resultSelector(a.element, b.element, c.element, d.element, e.element, f.element)
      }
    }
  }

  /// Emits the latest elements of six sources as a tuple, as for two.
  @inlinable
  public static func combineLatest<
    A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling
  >(_ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F) -> Combined
  where Element == (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) {
    combineLatest(source1, source2, source3, source4, source5, source6) { ($0, $1, $2, $3, $4, $5) }
  }

  /// Emits what `resultSelector` makes of the latest elements of seven sources, as for two.
  @preconcurrency @inlinable
  public static func combineLatest<
    A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling, G: Sibling
  >(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F,
    _ source7: G,
    resultSelector:
      @escaping @Sendable (
        A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element
      ) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d, e, f, g) = (
        $0.latest(source1), $0.latest(source2), $0.latest(source3), $0.latest(source4),
        $0.latest(source5), $0.latest(source6), $0.latest(source7)
      )
      return {
        try resultSelector(
          a.element, b.element, c.element, d.element, e.element, f.element, g.element)
      }
    }
  }

  /// Emits the latest elements of seven sources as a tuple, as for two.
  @inlinable
  public static func combineLatest<
    A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling, G: Sibling
  >(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F, _ source7: G
  ) -> Combined
  where Element == (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element) {
    combineLatest(source1, source2, source3, source4, source5, source6, source7) {
      ($0, $1, $2, $3, $4, $5, $6)
    }
  }

  /// Emits what `resultSelector` makes of the latest elements of eight sources, as for two.
  @preconcurrency @inlinable
  public static func combineLatest<
    A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling, G: Sibling, H: Sibling
  >(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F,
    _ source7: G, _ source8: H,
    resultSelector:
      @escaping @Sendable (
        A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element
      ) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d, e, f, g, h) = (
        $0.latest(source1), $0.latest(source2), $0.latest(source3), $0.latest(source4),
        $0.latest(source5), $0.latest(source6), $0.latest(source7), $0.latest(source8)
      )
      return {
        try resultSelector(
          a.element, b.element, c.element, d.element, e.element, f.element, g.element, h.element)
      }
    }
  }

  /// Emits the latest elements of eight sources as a tuple, as for two.
  @inlinable
  public static func combineLatest<
    A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling, G: Sibling, H: Sibling
  >(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F,
    _ source7: G, _ source8: H
  ) -> Combined
  where
    Element == (
      A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element, H.Element
    )
  {
    combineLatest(source1, source2, source3, source4, source5, source6, source7, source8) {
      ($0, $1, $2, $3, $4, $5, $6, $7)
    }
  }

  /// Emits what `resultSelector` makes of the latest elements of all of `collection`, as for two.
  ///
  /// An empty collection gives what `resultSelector` makes of no elements, then completion.
  @preconcurrency @inlinable public static func combineLatest<Sources: Collection>(
    _ collection: Sources,
    resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Combined where Sources.Element: Sibling {
    if collection.isEmpty { return combined(.deferred { .just(try resultSelector([])) }) }
    return joining { join in
      let sources = collection.map(join.latest)
      return { try resultSelector(sources.map(\.element)) }
    }
  }

  /// Emits the latest elements of all of `collection`, as for two.
  @inlinable public static func combineLatest<Sources: Collection>(_ collection: Sources)
    -> Combined where Sources.Element: Sibling, Element == [Sources.Element.Element]
  { combineLatest(collection) { $0 } }
}
