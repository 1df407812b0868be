import Synchronization

/// An object that is made when it is first needed, once for all threads.
///
/// As the standard library's `AtomicLazyReference`, whose memory order ThreadSanitizer does not see.
@usableFromInline package struct LazyReference<Object: AnyObject>: ~Copyable, @unchecked Sendable {
  // The pointer holds one reference, and is written once.
  @usableFromInline let made = Atomic<Unmanaged<Object>?>(nil)

  @usableFromInline package init() {}

  deinit { made.load(ordering: .acquiring)?.release() }

  /// The object, when there is one.
  @inlinable package var object: Object? { unretained?.takeUnretainedValue() }

  /// The object, when there is one; there for as long as the owner of this reference.
  @inlinable package var unretained: Unmanaged<Object>? { made.load(ordering: .acquiring) }

  /// The object; of several that are made at once the first stays.
  package func object(orMake make: () -> Object) -> Object {
    if let object { return object }
    let new = Unmanaged.passRetained(make())
    let (isFirst, first) = made.compareExchange(
      expected: nil, desired: new, ordering: .acquiringAndReleasing)
    if !isFirst { new.release() }
    return (first ?? new).takeUnretainedValue()
  }
}
