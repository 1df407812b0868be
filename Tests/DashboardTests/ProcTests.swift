import TestSupport
import Testing

@testable import dashboard

@Suite("Reading /proc", .workerPool)
struct ProcTests {
  static let stat = """
    cpu  100 2 50 800 20 0 5 3 40 0
    cpu0 50 1 25 400 10 0 3 1 20 0
    intr 12345
    """

  @Test func `takes the processors' time without counting guests twice`() {
    #expect(Proc.processorTime(stat: Self.stat) == .init(busy: 160, total: 980))
  }

  @Test func `takes the four numbers of an old system`() {
    #expect(Proc.processorTime(stat: "cpu 1 2 3 4\n") == .init(busy: 6, total: 10))
  }

  @Test func `gives the busy share of the time between two readings`() {
    let first = Proc.ProcessorTime(busy: 100, total: 1_000)
    #expect(Proc.ProcessorTime(busy: 125, total: 1_100).share(since: first) == 0.25)
    #expect(first.share(since: first) == 0)
    // Time that goes back, as it does on some virtual machines.
    #expect(Proc.ProcessorTime(busy: 90, total: 1_010).share(since: first) == 0)
  }

  @Test func `counts as used what no program could have, in bytes`() throws {
    let text = "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:     400 kB\n"
    let memory = try #require(Proc.memory(meminfo: text))
    #expect(memory.used == 614_400)
    #expect(memory.total == 1_024_000)
  }

  @Test func `takes the three averages of the load`() {
    #expect(Proc.load(loadavg: "0.31 1.00 12.50 2/345 6789\n") == [0.31, 1, 12.5])
  }

  @Test func `adds up what all interfaces received`() {
    let text = """
      Inter-|   Receive                |  Transmit
       face |bytes    packets errs drop|bytes    packets
          lo: 1000      10    0    0    1000      10
        eth0:234       7    0    0     999       9
      """
    #expect(Proc.bytesReceived(netDev: text) == 1_234)
  }

  @Test(arguments: ["", "\n", "cpu", "cpu a b c d", "MemTotal:\nMemAvailable:", "0.5 x"])
  func `says nothing of a text that is something else`(text: String) {
    #expect(Proc.processorTime(stat: text) == nil)
    #expect(Proc.memory(meminfo: text) == nil)
    #expect(Proc.load(loadavg: text) == nil)
    #expect(Proc.bytesReceived(netDev: text) == nil)
  }

  #if os(Linux)
  @Test func `finds the figures of this machine`() {
    let figures = FiguresReader().next().figures
    #expect(figures.memoryTotal > 0)
    #expect(figures.memoryUsed <= figures.memoryTotal)
    #expect(figures.load.count == 3)
    #expect((0...1).contains(figures.cpu))
    #expect(!figures.areInvented)
  }
  #endif
}
