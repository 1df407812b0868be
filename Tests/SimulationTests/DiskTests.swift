import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("Files in simulations", .workerPool)
struct DiskTests {
  /// Counts in a file, and notes what it has found there at its start.
  private final class Counter {
    let count: SharedValue<Int>
    let start: Int
    private(set) var flushed = 0
    var isChecked = false
    private let problems: Problems

    final class Problems: @unchecked Sendable {
      // Used on the thread of the simulation alone.
      var list: [any Error] = []
    }

    var errors: [any Error] { problems.list }

    init() {
      let problems = Problems()
      self.problems = problems
      count = SharedValue(
        0, keptIn: FileStorage(URL(fileURLWithPath: "/counter.json")),
        onFailure: { problems.list.append($0) })
      start = count.value
      flushed = start
    }

    func add() {
      count.update(by: "add") { $0 += 1 }
      if count.value.isMultiple(of: 3), (try? count.flush()) != nil { flushed = count.value }
    }
  }

  @Test func `a file outlives a crash, and what was flushed a power failure`() throws {
    var starts: [Int?] = []
    try Simulation(seed: 1, for: .seconds(60)) { world in
      let host = world.host("host") { _ in Counter() }
      for second in 1...4 { world.after(.seconds(second)) { host.perform { $0.add() } } }
      // The change after the third one, which was flushed, waits to be saved.
      world.after(.milliseconds(4_001)) { host.crash() }
      world.after(.seconds(5)) { host.startProgram() }
      world.after(.seconds(6)) { starts.append(host.start) }
      for second in 7...8 { world.after(.seconds(second)) { host.perform { $0.add() } } }
      world.after(.milliseconds(8_001)) { host.losePower() }
      world.after(.seconds(9)) { host.startProgram() }
      world.after(.seconds(10)) { starts.append(host.start) }
    }
    #expect(starts.count == 2)
    #expect(starts[0] == 3)
    #expect((3...5).contains(starts[1] ?? 0))
  }

  @Test(arguments: seeds(30))
  func `what was flushed is never lost, and no file is corrupt`(seed: UInt64) throws {
    var flushed = 0
    try Simulation(seed: seed, for: .seconds(600)) { world in
      let host = world.host("host") { _ in Counter() }
      world.every(.milliseconds(100)...(.seconds(5))) { _ in host.perform { $0.add() } }
      world.faults(.crashes(.frequent), .disk(.occasional))
      world.always("no start finds less than was flushed before") {
        guard let program = host.program else { return true }
        if !program.isChecked, program.start < flushed { return false }
        program.isChecked = true
        flushed = max(flushed, program.flushed)
        return true
      }
      world.always("no file is corrupt") {
        !(host.errors ?? []).contains { error in
          if case FileStorageError.corrupt = error { true } else { false }
        }
      }
      world.eventually("saves succeed again", within: .seconds(120), afterFaultsStop: true) {
        guard let program = host.program else { return false }
        return program.flushed > flushed - 3 && (try? program.count.flush()) != nil
      }
    }
  }

  @Test func `a disk that is full or fails is an error of the storage, and a fault of the story`()
    throws
  {
    var reasons: Set<String> = []
    let simulation = try Simulation(seed: 3, for: .seconds(900), keepsStory: true) { world in
      let host = world.host("host") { _ in Counter() }
      world.every(.seconds(1)...(.seconds(2))) { _ in host.perform { $0.add() } }
      world.faults(.disk(.occasional))
      world.every(.seconds(1)...(.seconds(1))) { _ in
        for case FileStorageError.unwritable(_, let reason) in host.errors ?? [] {
          reasons.insert(reason)
        }
      }
    }
    #expect(simulation.faultCounts[.fullDisk] ?? 0 > 0)
    #expect(simulation.faultCounts[.failingDisk] ?? 0 > 0)
    #expect(reasons.contains("fsync: Input/output error"))
    #expect(reasons.contains { $0.hasSuffix("No space left on device") })
    #expect(simulation.story.contains { $0.text.hasSuffix("the disk of host is full") })
  }

  @Test func `hosts have files of their own, and a program uses a file once`() throws {
    var values: [Int?] = []
    var isRefused: Bool?
    try Simulation(seed: 1, for: .seconds(10)) { world in
      let hosts = ["a", "b"].map { name in world.host(name) { _ in Counter() } }
      world.after(.seconds(1)) { hosts[0].perform { for _ in 0..<3 { $0.add() } } }
      world.after(.seconds(2)) {
        hosts[1].perform { _ in
          let second = FileStorage<Int>(URL(fileURLWithPath: "/counter.json"))
          do { _ = try second.load() } catch { isRefused = error is FileStorageError }
        }
      }
      world.after(.seconds(3)) { values = hosts.map { $0.count?.value } }
    }
    #expect(values == [3, 0])
    #expect(isRefused == true)
    #expect(!FileManager.default.fileExists(atPath: "/counter.json"))
  }
}
