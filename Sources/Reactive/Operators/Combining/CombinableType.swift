/// A kind of sequence that `combineLatest` and `zip` combine with the same kind only.
///
/// Observables are combined with observables, and drivers with drivers. Every type that conforms to
/// `ObservableType` conforms to this protocol.
public protocol CombinableType<SequenceKind, Element>: ObservableConvertibleType {
  /// The type that distinguishes the kinds.
  associatedtype SequenceKind
  /// The sequence type of a combination.
  associatedtype Combined
  /// The errors that a `resultSelector` may throw: `any Error`, or `Never`.
  associatedtype SelectorError: Error

  /// Returns a sequence of this kind that emits the elements of `combination`.
  static func combined(_ combination: Combination<Element>) -> Combined
}

/// The result of `combineLatest` and `zip`, which `combined(_:)` turns into a sequence.
public struct Combination<Element> {
  @usableFromInline let source: Observable<Element>

  @inlinable init(_ source: Observable<Element>) { self.source = source }
}

/// The kind of observables, subjects and relays.
public enum ObservableKind {}

extension ObservableType {
  /// Returns an observable of the elements of `combination`.
  @inlinable public static func combined(_ combination: Combination<Element>) -> Observable<Element>
  { combination.source }
}

extension CombinableType {
  /// A sequence of the same kind.
  public typealias Peer<Element> = CombinableType<SequenceKind, Element>

  /// Returns a combination; `body` adds the sources and returns the closure that makes an element.
  @inlinable static func combining(_ body: @escaping (CombineState) -> () throws -> Element)
    -> Combined
  {
    combined(
      Combination(
        Observable { down in
          let state = CombineState(down.lifetime, down.end)
          let element = body(state)
          state.run { down.attempt { down.next(try element()) } }
        }))
  }
}
