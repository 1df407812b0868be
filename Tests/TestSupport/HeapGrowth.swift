#if canImport(CReactiveSystem)
import CReactiveSystem

/// Returns the number of bytes by which the heap grows while `body` runs.
///
/// Call it in an exit test: other tests of the process allocate at the same time.
public func heapGrowth(_ body: () -> Void) -> Int {
  let before = csystem_heap_in_use()
  body()
  return Int(csystem_heap_in_use()) - Int(before)
}
#endif
