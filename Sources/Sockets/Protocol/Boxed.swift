/// What most connections never have, or have for a moment: one word where it would take many.
///
/// A plain value: a copy is changed apart from the others.
struct Boxed<Value> {
  private final class Box {
    var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  /// Nil when there is none.
  var value: Value? {
    get { box?.value }
    set {
      guard let newValue else { return box = nil }
      if isKnownUniquelyReferenced(&box) {
        box?.value = newValue
      } else {
        box = Box(newValue)
      }
    }
  }

  var isNone: Bool { box == nil }

  /// Changes the value, when there is one, where it is.
  mutating func update<Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Void
  ) throws(Failure) {
    if !isKnownUniquelyReferenced(&box) { box = box.map { Box($0.value) } }
    if let box { try body(&box.value) }
  }

  /// Leaves none.
  mutating func take() -> Value? { box.take()?.value }
}

// Its box is only changed by the one value that holds it.
extension Boxed: @unchecked Sendable where Value: Sendable {}
