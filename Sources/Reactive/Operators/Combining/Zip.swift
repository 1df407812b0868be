// Written by .ci/arities.py from one template for all numbers of sources. Do not edit.

extension CombinableType {
  /// Emits the result of `resultSelector` for the first elements, then for the second, and so on.
  ///
  /// Elements are queued, without a limit, until each source has emitted its element. Completes
  /// when all sources have completed. The first error, or one that `resultSelector` throws, ends
  /// the result.
  ///
  ///            -1---2------3-|
  ///            ---a--b-|
  ///     zip(+) ---1a-2b------|
  @preconcurrency @inlinable public static func zip<A, B>(
    _ a: some Peer<A>, _ b: some Peer<B>,
    resultSelector: @escaping @Sendable (A, B) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.queue(a), $0.queue(b))
      return { try resultSelector(s.0(), s.1()) }
    }
  }

  /// Emits the first elements as a tuple, then the second ones, and so on.
  @inlinable public static func zip<A, B>(_ a: some Peer<A>, _ b: some Peer<B>) -> Combined
  where Element == (A, B) { zip(a, b) { ($0, $1) } }

  /// Emits the result of `resultSelector` for the elements of three sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A, B, C>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>,
    resultSelector: @escaping @Sendable (A, B, C) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.queue(a), $0.queue(b), $0.queue(c))
      return { try resultSelector(s.0(), s.1(), s.2()) }
    }
  }

  /// Emits the elements of three sources in step as tuples, as for two.
  @inlinable public static func zip<A, B, C>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>
  ) -> Combined where Element == (A, B, C) { zip(a, b, c) { ($0, $1, $2) } }

  /// Emits the result of `resultSelector` for the elements of four sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A, B, C, D>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>,
    resultSelector: @escaping @Sendable (A, B, C, D) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.queue(a), $0.queue(b), $0.queue(c), $0.queue(d))
      return { try resultSelector(s.0(), s.1(), s.2(), s.3()) }
    }
  }

  /// Emits the elements of four sources in step as tuples, as for two.
  @inlinable public static func zip<A, B, C, D>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>
  ) -> Combined where Element == (A, B, C, D) { zip(a, b, c, d) { ($0, $1, $2, $3) } }

  /// Emits the result of `resultSelector` for the elements of five sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A, B, C, D, E>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    resultSelector: @escaping @Sendable (A, B, C, D, E) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.queue(a), $0.queue(b), $0.queue(c), $0.queue(d), $0.queue(e))
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4()) }
    }
  }

  /// Emits the elements of five sources in step as tuples, as for two.
  @inlinable public static func zip<A, B, C, D, E>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>
  ) -> Combined where Element == (A, B, C, D, E) { zip(a, b, c, d, e) { ($0, $1, $2, $3, $4) } }

  /// Emits the result of `resultSelector` for the elements of six sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A, B, C, D, E, F>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>,
    resultSelector: @escaping @Sendable (A, B, C, D, E, F) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = ($0.queue(a), $0.queue(b), $0.queue(c), $0.queue(d), $0.queue(e), $0.queue(f))
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4(), s.5()) }
    }
  }

  /// Emits the elements of six sources in step as tuples, as for two.
  @inlinable public static func zip<A, B, C, D, E, F>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>
  ) -> Combined where Element == (A, B, C, D, E, F) {
    zip(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
  }

  /// Emits the result of `resultSelector` for the elements of seven sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A, B, C, D, E, F, G>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>,
    resultSelector: @escaping @Sendable (A, B, C, D, E, F, G) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = (
        $0.queue(a), $0.queue(b), $0.queue(c), $0.queue(d), $0.queue(e), $0.queue(f), $0.queue(g)
      )
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4(), s.5(), s.6()) }
    }
  }

  /// Emits the elements of seven sources in step as tuples, as for two.
  @inlinable public static func zip<A, B, C, D, E, F, G>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>
  ) -> Combined where Element == (A, B, C, D, E, F, G) {
    zip(a, b, c, d, e, f, g) { ($0, $1, $2, $3, $4, $5, $6) }
  }

  /// Emits the result of `resultSelector` for the elements of eight sources in step, as for two.
  @preconcurrency @inlinable public static func zip<A, B, C, D, E, F, G, H>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>, _ h: some Peer<H>,
    resultSelector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws(SelectorError) -> Element
  ) -> Combined {
    combining {
      let s = (
        $0.queue(a), $0.queue(b), $0.queue(c), $0.queue(d), $0.queue(e), $0.queue(f), $0.queue(g),
        $0.queue(h)
      )
      return { try resultSelector(s.0(), s.1(), s.2(), s.3(), s.4(), s.5(), s.6(), s.7()) }
    }
  }

  /// Emits the elements of eight sources in step as tuples, as for two.
  @inlinable public static func zip<A, B, C, D, E, F, G, H>(
    _ a: some Peer<A>, _ b: some Peer<B>, _ c: some Peer<C>, _ d: some Peer<D>, _ e: some Peer<E>,
    _ f: some Peer<F>, _ g: some Peer<G>, _ h: some Peer<H>
  ) -> Combined where Element == (A, B, C, D, E, F, G, H) {
    zip(a, b, c, d, e, f, g, h) { ($0, $1, $2, $3, $4, $5, $6, $7) }
  }
}
