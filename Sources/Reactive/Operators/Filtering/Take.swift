/// Whether the element that ends a sequence is emitted.
public enum TakeBehavior: Sendable {
  /// The element is emitted before the completion.
  case inclusive
  /// The element is not emitted.
  case exclusive
}

extension ObservableType {
  /// Emits the first `count` elements, then completes and disposes of the source.
  ///
  /// A `count` of zero completes at once, without a subscription to the source. A negative `count`
  /// is a programmer error and traps, as in RxSwift.
  ///
  ///             -a--b--c-|
  ///     take(2) -a--(b|)
  @inlinable public func take(_ count: Int) -> Observable<Element> {
    precondition(count >= 0, "take: count is \(count), and cannot be negative.")
    if count == 0 { return .empty() }
    return Observable { [run] down in
      let remaining = Ref(count)
      run(
        down.with { element in
          guard remaining.value > 0 else { return }
          remaining.value -= 1
          if remaining.value > 0 { down.next(element) } else { down.last(element) }
        })
    }
  }

  /// Emits elements while `predicate` returns true, then completes and disposes of the source.
  ///
  /// An error that `predicate` throws ends the result.
  ///
  ///                           -1--2--3--1-|
  ///     take(while: { $0 < 3 }) -1--2--|
  ///
  /// - Parameters:
  ///   - predicate: whether an element is emitted; not called after it has returned false
  ///   - behavior: whether the first element for which `predicate` returns false is emitted;
  ///     `.exclusive`, not emitted, by default
  @preconcurrency @inlinable public func take(
    while predicate: @escaping @Sendable (Element) throws -> Bool,
    behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> {
    stateful(from: true) { down, isOn, element in
      guard isOn.value else { return }
      isOn.value = try predicate(element)
      if isOn.value { return down.next(element) }
      if behavior == .inclusive { down.last(element) } else { down.end(nil) }
    }
  }

  /// Emits elements until `predicate` returns true, then completes and disposes of the source.
  ///
  /// An error that `predicate` throws ends the result.
  ///
  /// - Parameters:
  ///   - predicate: whether the sequence ends at an element; not called after it has returned true
  ///   - behavior: whether the element for which `predicate` returns true is emitted; `.exclusive`,
  ///     not emitted, by default
  @preconcurrency @inlinable public func take(
    until predicate: @escaping @Sendable (Element) throws -> Bool,
    behavior: TakeBehavior = .exclusive
  ) -> Observable<Element> { take(while: { try !predicate($0) }, behavior: behavior) }

  /// Emits elements until `other` emits its first element, then completes and disposes of both.
  ///
  /// An error of either observable ends the result. A completion of `other` has no effect.
  ///
  ///                   -a--b--c--d-|
  ///     other         --------x
  ///     take(until:)  -a--b--(|)
  @inlinable public func take<Source: ObservableType>(until other: Source) -> Observable<Element> {
    Observable { [run] down in
      let gate = SerialGate(down.lifetime)
      let end = gate.guarded(down.end)
      other.run(
        Lifetime(parent: down.lifetime).observer(
          next: { _ in end(nil) }, end: { if let error = $0 { end(error) } }))
      if down.lifetime.isDisposed { return }
      down.lifetime.run(run, next: gate.guarded(down.next), end: end)
    }
  }

  /// Emits elements for `duration`, then completes on `scheduler` and disposes of the source.
  ///
  ///                  -a--b--c--d-|
  ///     take(for: 6) -a--b-|
  @inlinable public func take(for duration: RxTimeInterval, scheduler: any SchedulerType)
    -> Observable<Element>
  { take(until: Observable<Int>.timer(duration, scheduler: scheduler)) }

  /// Emits the last `count` elements when the source completes; an error drops them.
  ///
  /// A negative `count` is a programmer error and traps.
  ///
  ///                 -a--b--c-|
  ///     takeLast(2) ---------(bc|)
  @inlinable public func takeLast(_ count: Int) -> Observable<Element> {
    precondition(count >= 0, "takeLast: count is \(count), and cannot be negative.")
    return stateful(from: Fifo()) { _, last, element in
      last.value.append(element)
      if last.value.count > count { _ = last.value.popFirst() }
    } complete: { down, last in
      for offset in 0..<last.count where !down.lifetime.isDisposed { down.next(last[offset]) }
      if !down.lifetime.isDisposed { down.end(nil) }
    }
  }
}
