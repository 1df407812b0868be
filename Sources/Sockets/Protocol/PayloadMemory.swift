#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#endif

/// How much room is asked for when a message is long, so that its memory goes back to the system with it.
///
/// glibc maps an allocation by itself, and unmaps it when it is freed, from a threshold on that rises to the size of
/// what is freed: up to 32 MiB (mallopt(3), `M_MMAP_THRESHOLD`). From then on messages of 16 MiB lie among all other
/// allocations, and memory that is freed below a small one stays with the process. Room for more than 32 MiB is
/// always mapped by itself. The part that is not written takes addresses and no memory.
///
/// Other ways to the same end cost more: `mallopt` decides for the whole program, `malloc_trim` locks the heap for
/// 60 us per MiB that it gives back, and memory that is not the allocator's cannot be that of a `String`.
enum PayloadMemory {
  /// Payloads of up to so many bytes lie among other allocations, where memory is soon used again: to map a page
  /// costs several times as much as to fill it.
  static let threshold = 1 << 20

  /// More than the highest threshold of the allocator.
  private static let room = (32 << 20) + (64 << 10)

  #if canImport(Glibc)
  private static let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
  #endif
  /// From so many bytes on pages may be huge: the first byte of one takes all of it.
  private static let hugePage: UInt = 2 << 20

  /// For how many bytes to ask where a payload has `count`.
  static func capacity(for count: Int) -> Int {
    count > threshold && isAvailable ? max(count, room) : count
  }

  /// For how many bytes to ask where a header says that `count` come, which may not be true: for more than 1 MiB only
  /// where that takes addresses and no memory.
  static func capacity(announced count: Int) -> Int {
    guard count > threshold else { return count }
    return isAvailable ? room : threshold
  }

  /// Moves a payload that turns out to be long; the memory where it was goes back to the system.
  static func move(_ data: inout Data, toRoomFor count: Int) {
    var short = Data(capacity: capacity(for: count))
    swap(&short, &data)
    data.append(short)
    #if canImport(Glibc)
    // Freed as they are, the pages would stay with the process.
    guard isAvailable else { return }
    short.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      advise(MADV_DONTNEED, from: start, to: start + bytes.count, page)
    }
    #endif
  }

  /// Lets a payload that gets long have huge pages, before `count` bytes are added.
  static func useHugePages(in data: inout Data, adding count: Int) {
    let filled = data.count
    guard filled <= hugePage, filled + count > hugePage else { return }
    // How long it will be is not known.
    data.withUnsafeMutableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      useHugePages(from: start + filled, to: start + room)
    }
  }

  /// Lets the system use huge pages in the room of a long payload: to map one takes a tenth of the time of 512 small
  /// ones.
  static func useHugePages(from start: UnsafeRawPointer, to end: UnsafeRawPointer) {
    #if canImport(Glibc)
    // A hint: where there are none, pages stay small.
    if isAvailable { advise(MADV_HUGEPAGE, from: start, to: end, hugePage) }
    #endif
  }

  #if canImport(Glibc)
  /// Advises the system on the pages that lie in these bytes as a whole.
  private static func advise(
    _ advice: Int32, from start: UnsafeRawPointer, to end: UnsafeRawPointer, _ page: UInt
  ) {
    let first = (UInt(bitPattern: start) + page - 1) & ~(page - 1)
    let last = UInt(bitPattern: end) & ~(page - 1)
    guard first < last, let pages = UnsafeMutableRawPointer(bitPattern: first) else { return }
    _ = madvise(pages, Int(last - first), advice)
  }
  #endif

  /// Whether addresses are free: on 64-bit Linux, unless the process or the machine limits them.
  private static let isAvailable: Bool = {
    #if canImport(Glibc) && _pointerBitWidth(_64)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur == rlim_t.max
    else { return false }
    // 2: what is reserved counts as if it were used (proc_sys_vm(5)).
    let policy = try? String(contentsOfFile: "/proc/sys/vm/overcommit_memory", encoding: .utf8)
    return policy?.hasPrefix("2") == false
    #else
    return false
    #endif
  }()
}
