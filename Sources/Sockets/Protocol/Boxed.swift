/// A value that most connections do not have, stored in one word instead of many.
///
/// It has value semantics: changing a copy does not change the original.
struct Boxed<Value> {
  private final class Box {
    // Changed only by the one value that holds the box, as a property of that value would be.
    @exclusivity(unchecked) var value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  /// The value; nil without one.
  var value: Value? {
    @inline(__always) get { box?.value }
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

  /// Changes the value in place, if there is one.
  mutating func update<Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Void
  ) throws(Failure) {
    if !isKnownUniquelyReferenced(&box) { box = box.map { Box($0.value) } }
    if let box { try body(&box.value) }
  }

  /// Removes and returns the value.
  mutating func take() -> Value? { box.take()?.value }
}

// Only the one value that holds a box changes it.
extension Boxed: @unchecked Sendable where Value: Sendable {}
