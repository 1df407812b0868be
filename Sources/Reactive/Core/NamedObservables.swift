/// An observable that knows what another module calls its kind.
///
/// It takes no more memory than an observable: the number fits behind its other properties.
@usableFromInline
package class NumberedObservable<Element>: Observable<Element>, @unchecked Sendable {
  // Immutable.
  @usableFromInline let number: UInt8

  /// - Parameter number: number of the kind; 0 for none.
  @inlinable package init(_ number: UInt8, _ run: @escaping (Observer<Element>) -> Void) {
    self.number = number
    super.init(.producer, run)
  }

  @usableFromInline package override final var kindNumber: UInt8 { number }
}

/// An observable with a name for traces.
@usableFromInline
package final class LabeledObservable<Element>: NumberedObservable<Element>, @unchecked Sendable {
  // Immutable; the callers pass a Sendable value.
  private let value: AnyHashable

  package init(
    _ label: AnyHashable, _ number: UInt8, _ run: @escaping (Observer<Element>) -> Void
  ) {
    value = label
    super.init(number, run)
  }

  @usableFromInline package override var label: AnyHashable? { value }
}
