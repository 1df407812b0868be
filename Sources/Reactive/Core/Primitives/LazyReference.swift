import Synchronization

/// A reference to an object that is made on first use, once for all threads.
///
/// It replaces the standard library's `AtomicLazyReference`, whose memory order ThreadSanitizer
/// does not see.
@frozen @usableFromInline
package struct LazyReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  // The pointer holds one reference, and is written once.
  @usableFromInline let made = Atomic<Unmanaged<Object>?>(nil)

  @usableFromInline package init() {}

  // Inlinable, since generic code that is not specialized takes thousands of instructions.
  @inlinable deinit { made.load(ordering: .acquiring)?.release() }

  /// The object; nil until it is made.
  @inlinable package var object: Object? { unretained?.takeUnretainedValue() }

  /// The object without a retain; nil until it is made, and valid as long as this reference exists.
  @inlinable package var unretained: Unmanaged<Object>? { made.load(ordering: .acquiring) }

  /// Returns the object, and makes it if needed; when threads make several, the first one stays.
  @inlinable package func object(orMake make: () -> Object) -> Object {
    if let object { return object }
    let new = Unmanaged.passRetained(make())
    let (isFirst, first) = made.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    if !isFirst { new.release() }
    return (first ?? new).takeUnretainedValue()
  }
}
