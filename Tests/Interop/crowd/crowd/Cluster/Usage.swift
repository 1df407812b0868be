import Foundation
import Glibc

/// What a process uses now.
struct ProcessUsage: Codable {
  /// The resident bytes.
  var resident = 0
  /// The allocated bytes of the heap.
  var heap = 0
  /// The CPU time so far, in seconds.
  var cpu = 0.0

  static func current() throws -> ProcessUsage {
    let pages = try readSystemFile("/proc/self/statm").split(separator: " ")
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return ProcessUsage(
      resident: (pages.dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize()),
      heap: Crowd.heap,
      cpu: [usage.ru_utime, usage.ru_stime].reduce(0) { sum, time in
        sum + Double(time.tv_sec) + Double(time.tv_usec) / 1e6
      })
  }
}

extension [ProcessUsage] {
  var sum: ProcessUsage {
    reduce(into: ProcessUsage()) { sum, usage in
      sum.resident += usage.resident
      sum.heap += usage.heap
      sum.cpu += usage.cpu
    }
  }
}

/// The memory that the kernel uses for sockets.
struct KernelUsage: Codable {
  /// The pages of all socket buffers, in bytes: `mem` of `/proc/net/sockstat`.
  var socketBuffers = 0
  /// The bytes of each slab cache with objects of sockets; empty for users other than root.
  var caches: [String: Int] = [:]

  /// An open socket is a file, its entry and its inode; the protocol's state; and what epoll keeps.
  private static let names: Set = [
    "TCP", "TCPv6", "sock_inode_cache", "filp", "dentry", "lsm_inode_cache", "eventpoll_epi",
    "eventpoll_pwq", "ep_head", "tcp_bind_bucket", "tcp_bind2_bucket", "request_sock_TCP",
    "tw_sock_TCP", "skbuff_head_cache", "skbuff_small_head",
  ]

  static func current() throws -> KernelUsage {
    var usage = KernelUsage()
    let sockets = try readSystemFile("/proc/net/sockstat").split(whereSeparator: \.isNewline)
    let words = sockets.first { $0.hasPrefix("TCP:") }?.split(separator: " ") ?? []
    usage.socketBuffers = (words.last.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    let slabs = (try? readSystemFile("/proc/slabinfo")) ?? ""
    for line in slabs.split(whereSeparator: \.isNewline) {
      // name, active, all, size, objects of a slab, pages of a slab; ...; slabs in use, all slabs
      let words = line.split(separator: " ")
      guard words.count > 14, names.contains(String(words[0])), let slabs = Int(words[14]),
        let pages = Int(words[5])
      else { continue }
      usage.caches[String(words[0])] = slabs * pages * Int(getpagesize())
    }
    return usage
  }
}

/// The text of a file whose size the system does not report.
func readSystemFile(_ path: String) throws -> String {
  guard let file = FileHandle(forReadingAtPath: path) else { throw Problem("no \(path)") }
  defer { try? file.close() }
  return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
}
