extension CombinableType {
  /// Emits what `resultSelector` makes of the first elements, then of the second, and so on.
  ///
  /// Elements wait, unbounded, for their partners. Completes when all sources have. The first error,
  /// or one thrown by `resultSelector`, ends it.
  ///
  ///            -1---2------3-|
  ///            ---a--b-|
  ///     zip(+) ---1a-2b------|
  @preconcurrency @inlinable public static func zip<A: Sibling, B: Sibling>(
    _ source1: A, _ source2: B,
    resultSelector: @escaping @Sendable (A.Element, B.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b) = ($0.queue(source1), $0.queue(source2))
      return { try resultSelector(a.element, b.element) }
    }
  }

  /// Emits the first elements as a tuple, then the second, and so on.
  @inlinable public static func zip<A: Sibling, B: Sibling>(_ source1: A, _ source2: B) -> Combined
  where Element == (A.Element, B.Element) { zip(source1, source2) { ($0, $1) } }

  /// Emits what `resultSelector` makes of the elements of three sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A: Sibling, B: Sibling, C: Sibling>(
    _ source1: A, _ source2: B, _ source3: C,
    resultSelector: @escaping @Sendable (A.Element, B.Element, C.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c) = ($0.queue(source1), $0.queue(source2), $0.queue(source3))
      return { try resultSelector(a.element, b.element, c.element) }
    }
  }

  /// Emits the elements of three sources in step, as tuples, as for two.
  @inlinable public static func zip<A: Sibling, B: Sibling, C: Sibling>(
    _ source1: A, _ source2: B, _ source3: C
  ) -> Combined where Element == (A.Element, B.Element, C.Element) {
    zip(source1, source2, source3) { ($0, $1, $2) }
  }

  /// Emits what `resultSelector` makes of the elements of four sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A: Sibling, B: Sibling, C: Sibling, D: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D,
    resultSelector:
      @escaping @Sendable (A.Element, B.Element, C.Element, D.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d) = (
        $0.queue(source1), $0.queue(source2), $0.queue(source3), $0.queue(source4)
      )
      return { try resultSelector(a.element, b.element, c.element, d.element) }
    }
  }

  /// Emits the elements of four sources in step, as tuples, as for two.
  @inlinable public static func zip<A: Sibling, B: Sibling, C: Sibling, D: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D
  ) -> Combined where Element == (A.Element, B.Element, C.Element, D.Element) {
    zip(source1, source2, source3, source4) { ($0, $1, $2, $3) }
  }

  /// Emits what `resultSelector` makes of the elements of five sources in step, as for two.
  @preconcurrency @inlinable
  public static func zip<A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E,
    resultSelector:
      @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element) throws -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d, e) = (
        $0.queue(source1), $0.queue(source2), $0.queue(source3), $0.queue(source4),
        $0.queue(source5)
      )
      return { try resultSelector(a.element, b.element, c.element, d.element, e.element) }
    }
  }

  /// Emits the elements of five sources in step, as tuples, as for two.
  @inlinable public static func zip<A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E
  ) -> Combined where Element == (A.Element, B.Element, C.Element, D.Element, E.Element) {
    zip(source1, source2, source3, source4, source5) { ($0, $1, $2, $3, $4) }
  }

  /// Emits what `resultSelector` makes of the elements of six sources in step, as for two.
  @preconcurrency @inlinable
  public static func zip<A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F,
    resultSelector:
      @escaping @Sendable (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) throws
      -> Element
  ) -> Combined {
    joining {
      let (a, b, c, d, e, f) = (
        $0.queue(source1), $0.queue(source2), $0.queue(source3), $0.queue(source4),
        $0.queue(source5), $0.queue(source6)
      )
      return {
        try resultSelector(a.element, b.element, c.element, d.element, e.element, f.element)
      }
    }
  }

  /// Emits the elements of six sources in step, as tuples, as for two.
  @inlinable
  public static func zip<A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling>(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F
  ) -> Combined
  where Element == (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element) {
    zip(source1, source2, source3, source4, source5, source6) { ($0, $1, $2, $3, $4, $5) }
  }

  /// Emits what `resultSelector` makes of the elements of seven sources in step, as for two.
  @preconcurrency @inlinable
  public static func zip<
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
        $0.queue(source1), $0.queue(source2), $0.queue(source3), $0.queue(source4),
        $0.queue(source5), $0.queue(source6), $0.queue(source7)
      )
      return {
        try resultSelector(
          a.element, b.element, c.element, d.element, e.element, f.element, g.element)
      }
    }
  }

  /// Emits the elements of seven sources in step, as tuples, as for two.
  @inlinable
  public static func zip<
    A: Sibling, B: Sibling, C: Sibling, D: Sibling, E: Sibling, F: Sibling, G: Sibling
  >(
    _ source1: A, _ source2: B, _ source3: C, _ source4: D, _ source5: E, _ source6: F, _ source7: G
  ) -> Combined
  where Element == (A.Element, B.Element, C.Element, D.Element, E.Element, F.Element, G.Element) {
    zip(source1, source2, source3, source4, source5, source6, source7) {
      ($0, $1, $2, $3, $4, $5, $6)
    }
  }

  /// Emits what `resultSelector` makes of the elements of eight sources in step, as for two.
  @preconcurrency @inlinable
  public static func zip<
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
        $0.queue(source1), $0.queue(source2), $0.queue(source3), $0.queue(source4),
        $0.queue(source5), $0.queue(source6), $0.queue(source7), $0.queue(source8)
      )
      return {
        try resultSelector(
          a.element, b.element, c.element, d.element, e.element, f.element, g.element, h.element)
      }
    }
  }

  /// Emits the elements of eight sources in step, as tuples, as for two.
  @inlinable
  public static func zip<
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
    zip(source1, source2, source3, source4, source5, source6, source7, source8) {
      ($0, $1, $2, $3, $4, $5, $6, $7)
    }
  }

  /// Emits what `resultSelector` makes of the elements of all of `collection` in step, as for two.
  ///
  /// Completes also when nothing is left for the next element to be made of. An empty collection
  /// completes at once.
  @preconcurrency @inlinable public static func zip<Sources: Collection>(
    _ collection: Sources,
    resultSelector: @escaping @Sendable ([Sources.Element.Element]) throws -> Element
  ) -> Combined where Sources.Element: Sibling {
    if collection.isEmpty { return combined(.empty()) }
    return joining { join in
      let sources = collection.map(join.queue)
      join.endsEarly = true
      return { try resultSelector(sources.map(\.element)) }
    }
  }

  /// Emits the elements of all of `collection` in step, as for two.
  @inlinable public static func zip<Sources: Collection>(_ collection: Sources) -> Combined
  where Sources.Element: Sibling, Element == [Sources.Element.Element] { zip(collection) { $0 } }
}
