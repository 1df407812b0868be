import CHeap
import Foundation

/// The counts of the heap during some operations.
struct CountedHeap: Codable {
  /// The number of operations.
  let operations: Int
  let allocations: Int
  /// Bytes allocated and not freed.
  let kept: Int
  /// The peak of the bytes allocated and not freed.
  let peak: Int
  /// The change of `mallinfo2`: not exact, because blocks in a thread's cache count as used.
  let inUseChange: Int
  /// The growth of the resident set, in bytes.
  let residentChange: Int

  static var isCounted: Bool { heap_is_counted() }

  /// Runs `body` and counts.
  @MainActor
  static func watching(_ body: Contender.Body, operations: Int) -> CountedHeap {
    let (inUse, resident) = (Int(heap_in_use()), residentBytes())
    heap_count_begin()
    consume(body(operations))
    let count = heap_count_end()
    return CountedHeap(
      operations: operations,
      allocations: count.allocations,
      kept: count.bytes_kept,
      peak: count.bytes_peak,
      inUseChange: Int(heap_in_use()) - inUse,
      residentChange: residentBytes() - resident
    )
  }

  private static func residentBytes() -> Int {
    guard let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
      return 0
    }
    let resident = pages.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (resident ?? 0) * sysconf(Int32(_SC_PAGESIZE))
  }
}
