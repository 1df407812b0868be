#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One pointer for each thread.
@usableFromInline package struct ThreadSlot: Sendable {
  private let key: pthread_key_t

  /// Creates a slot that is nil on every thread.
  ///
  /// - Parameter release: called with the pointer in the slot when its thread ends
  @usableFromInline package init(
    release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)? = nil
  ) {
    var key = pthread_key_t()
    #if canImport(Darwin)
    // Darwin imports the signature with a non-optional pointer; the representation is the same.
    pthread_key_create(
      &key, unsafeBitCast(release, to: (@convention(c) (UnsafeMutableRawPointer) -> Void)?.self))
    #else
    pthread_key_create(&key, release)
    #endif
    self.key = key
  }

  /// The pointer of the current thread.
  @usableFromInline package var pointer: UnsafeMutableRawPointer? {
    get { pthread_getspecific(key) }
    nonmutating set { pthread_setspecific(key, newValue) }
  }

  /// Runs `body` with `pointer` in the current thread's slot, and then restores the previous one.
  package func holding<Result>(
    _ pointer: UnsafeMutableRawPointer?, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = self.pointer
    self.pointer = pointer
    defer { self.pointer = outer }
    return try body()
  }
}
