// Written by .ci/arities.py from one template for all numbers of sources. Do not edit.

extension CombinableType {
  /// Emits the result of `resultSelector` for the latest elements of both sources.
  ///
  /// The first result follows once every source has emitted; each later element makes another one.
  /// Completes when all sources have completed, or when the only running source emits although
  /// another one has completed without an element: no result can follow then. The first error, or
  /// one that `resultSelector` throws, ends the result.
  ///
  ///                      -1------2--|
  ///                      ---a--b------|
  ///     combineLatest(+) ---1a-1b2b---|
  @preconcurrency @inlinable public static func combineLatest<A, B>(
    _ a: some Peer<A>, _ b: some Peer<B>,
    resultSelector: @escaping @Sendable (A, B) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.latest(a), $0.latest(b))
      return { try resultSelector(s.0(), s.1()) }
    }
  }

  /// Emits the latest elements of both sources as a tuple, at each element once both have emitted.
  @inlinable public static func combineLatest<A, B>(_ a: some Peer<A>, _ b: some Peer<B>)
    -> Combined where Element == (A, B)
  { combineLatest(a, b) { ($0, $1) } }

  /// Emits the result of `resultSelector` for the latest elements of three sources, as for two.
  @preconcurrency @inlinable public static func combineLatest<A, B, C>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>,
    resultSelector: @escaping @Sendable (A, B, C) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.latest(a), $0.latest(b), $0.latest(c))
      return { try resultSelector(s.0(), s.1(), s.2()) }
    }
  }

  /// Emits the latest elements of three sources as a tuple, as for two.
  @inlinable public static func combineLatest<A, B, C>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>
  ) -> Combined where Element == (A, B, C) { combineLatest(a, b, c) { ($0, $1, $2) } }

  /// Emits the result of `resultSelector` for the latest elements of four sources, as for two.
  @preconcurrency @inlinable public static func combineLatest<A, B, C, D>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>,
    resultSelector: @escaping @Sendable (A, B, C, D) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.latest(a), $0.latest(b), $0.latest(c), $0.latest(d))
      return { try resultSelector(s.0(), s.1(), s.2(), s.3()) }
    }
  }

  /// Emits the latest elements of four sources as a tuple, as for two.
  @inlinable public static func combineLatest<A, B, C, D>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>
  ) -> Combined where Element == (A, B, C, D) { combineLatest(a, b, c, d) { ($0, $1, $2, $3) } }

  /// Emits the result of `resultSelector` for the latest elements of five sources, as for two.
  @preconcurrency @inlinable public static func combineLatest<A, B, C, D, E>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    resultSelector: @escaping @Sendable (A, B, C, D, E) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.latest(a), $0.latest(b), $0.latest(c), $0.latest(d), $0.latest(e))
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4()) }
    }
  }

  /// Emits the latest elements of five sources as a tuple, as for two.
  @inlinable public static func combineLatest<A, B, C, D, E>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>
  ) -> Combined where Element == (A, B, C, D, E) {
    combineLatest(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
  }

  /// Emits the result of `resultSelector` for the latest elements of six sources, as for two.
  @preconcurrency @inlinable public static func combineLatest<A, B, C, D, E, F>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>,
    resultSelector: @escaping @Sendable (A, B, C, D, E, F) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.latest(a), $0.latest(b), $0.latest(c), $0.latest(d), $0.latest(e), $0.latest(f))
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4(), s.5()) }
    }
  }

  /// Emits the latest elements of six sources as a tuple, as for two.
  @inlinable public static func combineLatest<A, B, C, D, E, F>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>
  ) -> Combined where Element == (A, B, C, D, E, F) {
    combineLatest(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
  }

  /// Emits the result of `resultSelector` for the latest elements of seven sources, as for two.
  @preconcurrency @inlinable public static func combineLatest<A, B, C, D, E, F, G>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>,
    resultSelector: @escaping @Sendable (A, B, C, D, E, F, G) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = (
        $0.latest(a), $0.latest(b), $0.latest(c), $0.latest(d), $0.latest(e), $0.latest(f),
        $0.latest(g)
      )
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4(), s.5(), s.6()) }
    }
  }

  /// Emits the latest elements of seven sources as a tuple, as for two.
  @inlinable public static func combineLatest<A, B, C, D, E, F, G>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>
  ) -> Combined where Element == (A, B, C, D, E, F, G) {
    combineLatest(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
  }

  /// Emits the result of `resultSelector` for the latest elements of eight sources, as for two.
  @preconcurrency @inlinable public static func combineLatest<A, B, C, D, E, F, G, H>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>, _ h: some Peer<H>,
    resultSelector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = (
        $0.latest(a), $0.latest(b), $0.latest(c), $0.latest(d), $0.latest(e), $0.latest(f),
        $0.latest(g), $0.latest(h)
      )
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4(), s.5(), s.6(), s.7()) }
    }
  }

  /// Emits the latest elements of eight sources as a tuple, as for two.
  @inlinable public static func combineLatest<A, B, C, D, E, F, G, H>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>, _ h: some Peer<H>
  ) -> Combined where Element == (A, B, C, D, E, F, G, H) {
    combineLatest(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
  }
}
