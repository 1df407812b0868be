#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#endif

/// Chooses the capacity for long messages, so that their memory returns to the system when freed.
///
/// From a threshold on, glibc maps each allocation separately and unmaps it when it is freed. The
/// threshold rises to the size of each freed block, up to 32 MiB (mallopt(3), `M_MMAP_THRESHOLD`).
/// After that, messages of 16 MiB lie among all other allocations, and free memory below a small
/// allocation stays with the process. A capacity of more than 32 MiB is always mapped separately.
/// Its unwritten part uses addresses but no memory.
///
/// Alternatives cost more. `mallopt` changes the whole program. `malloc_trim` locks the heap for
/// 60 us per MiB that it frees. Memory from outside the allocator cannot become that of a `String`.
enum PayloadMemory {
  /// The largest payload that is allocated normally, in bytes.
  ///
  /// Its memory is soon reused: mapping a page costs several times as much as filling it.
  static let threshold = 1 << 20

  /// More than the allocator's highest threshold, in bytes.
  private static let room = (32 << 20) + (64 << 10)

  #if canImport(Glibc)
  private static let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
  #endif
  /// The size of a huge page, in bytes: writing its first byte uses all of it.
  private static let hugePage: UInt = 2 << 20

  /// The capacity to request for a payload of `count` bytes.
  static func capacity(for count: Int) -> Int {
    count > threshold && isAvailable ? max(count, room) : count
  }

  /// The capacity to request when a header announces `count` bytes, which may be false.
  ///
  /// More than 1 MiB is requested only where that uses addresses but no memory.
  static func capacity(announced count: Int) -> Int {
    guard count > threshold else { return count }
    return isAvailable ? room : threshold
  }

  /// Moves a payload that becomes long; its old memory returns to the system.
  static func move(_ data: inout Data, toRoomFor count: Int) {
    var short = Data(capacity: capacity(for: count))
    swap(&short, &data)
    data.append(short)
    #if canImport(Glibc)
    // Without this advice the freed pages would stay with the process.
    guard isAvailable else { return }
    short.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      advise(MADV_DONTNEED, from: start, to: start + bytes.count, page)
    }
    #endif
  }

  /// Allows huge pages for a payload that becomes long, before `count` bytes are added.
  static func useHugePages(in data: inout Data, adding count: Int) {
    let filled = data.count
    guard filled <= hugePage, filled + count > hugePage else { return }
    // The final length is unknown, so the whole room is advised.
    data.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      useHugePages(from: start + filled, to: start + room)
    }
  }

  /// Allows huge pages in the room of a long payload.
  ///
  /// Mapping a huge page takes a tenth of the time of mapping 512 small ones.
  static func useHugePages(from start: UnsafeRawPointer, to end: UnsafeRawPointer) {
    #if canImport(Glibc)
    // A hint: on a system without huge pages, pages stay small.
    if isAvailable { advise(MADV_HUGEPAGE, from: start, to: end, hugePage) }
    #endif
  }

  #if canImport(Glibc)
  /// Advises the system on the pages that lie completely in these bytes.
  private static func advise(
    _ advice: Int32, from start: UnsafeRawPointer, to end: UnsafeRawPointer, _ page: UInt
  ) {
    let first = (UInt(bitPattern: start) + page - 1) & ~(page - 1)
    let last = UInt(bitPattern: end) & ~(page - 1)
    guard first < last, let pages = UnsafeMutableRawPointer(bitPattern: first) else { return }
    _ = madvise(pages, Int(last - first), advice)
  }
  #endif

  /// Whether reserving addresses is free: on 64-bit Linux, unless the process or machine limits
  /// them.
  private static let isAvailable: Bool = {
    #if canImport(Glibc) && _pointerBitWidth(_64)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur == rlim_t.max
    else { return false }
    // Mode 2 counts reserved memory as used (proc_sys_vm(5)).
    let policy = try? String(contentsOfFile: "/proc/sys/vm/overcommit_memory", encoding: .utf8)
    return policy?.hasPrefix("2") == false
    #else
    return false
    #endif
  }()
}
