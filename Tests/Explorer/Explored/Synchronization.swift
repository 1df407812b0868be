import Synchronization

// These shadow the types of the standard library: a module's own declarations take precedence.

/// An atomic whose operations are steps of an explored thread.
@usableFromInline package struct Atomic<Value>: ~Copyable, @unchecked Sendable {
  // The explorer runs one thread at a time; there are no other threads.
  @usableFromInline let place = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  @usableFromInline package init(_ value: Value) { place.initialize(to: value) }

  deinit {
    place.deinitialize(count: 1)
    place.deallocate()
  }

  @usableFromInline package func load(ordering: AtomicLoadOrdering) -> Value {
    Explorer.step()
    return place.pointee
  }

  @usableFromInline package func store(_ value: Value, ordering: AtomicStoreOrdering) {
    Explorer.step()
    place.pointee = value
  }

  @usableFromInline package func exchange(_ value: Value, ordering: AtomicUpdateOrdering) -> Value {
    update { $0 = value }.oldValue
  }

  @usableFromInline package func compareExchange(
    expected: Value, desired: Value, ordering: AtomicUpdateOrdering
  ) -> (exchanged: Bool, original: Value) {
    Explorer.step()
    let original = place.pointee
    // Compares the bits, like the atomic of the standard library.
    let isExpected = withUnsafeBytes(of: expected) { expected in
      withUnsafeBytes(of: original) { $0.elementsEqual(expected) }
    }
    if isExpected { place.pointee = desired }
    return (isExpected, original)
  }

  @usableFromInline package func compareExchange(
    expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
    failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    compareExchange(expected: expected, desired: desired, ordering: successOrdering)
  }

  @usableFromInline package func weakCompareExchange(
    expected: Value, desired: Value, successOrdering: AtomicUpdateOrdering,
    failureOrdering: AtomicLoadOrdering
  ) -> (exchanged: Bool, original: Value) {
    compareExchange(expected: expected, desired: desired, ordering: successOrdering)
  }

  private func update(_ body: (inout Value) -> Void) -> (oldValue: Value, newValue: Value) {
    Explorer.step()
    let oldValue = place.pointee
    body(&place.pointee)
    return (oldValue, place.pointee)
  }
}

extension Atomic where Value: FixedWidthInteger {
  @usableFromInline @discardableResult package func add(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) { update { $0 += operand } }

  @usableFromInline @discardableResult package func subtract(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) { update { $0 -= operand } }

  @usableFromInline @discardableResult package func wrappingAdd(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) { update { $0 &+= operand } }

  @usableFromInline @discardableResult package func wrappingSubtract(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) { update { $0 &-= operand } }

  @usableFromInline @discardableResult package func bitwiseOr(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) { update { $0 |= operand } }

  @usableFromInline @discardableResult package func bitwiseAnd(
    _ operand: Value, ordering: AtomicUpdateOrdering
  ) -> (oldValue: Value, newValue: Value) { update { $0 &= operand } }
}

/// A lock for which an explored thread waits while other threads run.
@usableFromInline package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  private let isHeld = UnsafeMutablePointer<Bool>.allocate(capacity: 1)

  @usableFromInline package init(_ value: consuming Value) { isHeld.initialize(to: false) }

  deinit { isHeld.deallocate() }

  @usableFromInline package func _unsafeLock() {
    Explorer.step()
    while isHeld.pointee {
      precondition(Explorer.isExploring, "A lock is held by a thread that is not explored.")
      Explorer.wait(for: isHeld)
    }
    isHeld.pointee = true
  }

  @usableFromInline package func _unsafeUnlock() {
    isHeld.pointee = false
    Explorer.released(isHeld)
  }
}

/// Lets the other threads run.
@discardableResult func sched_yield() -> Int32 {
  Explorer.yield()
  return 0
}
