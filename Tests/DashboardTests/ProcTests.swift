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

  @Test func `/proc/stat: the time of guests is not counted twice`() {
    #expect(Proc.processorTime(stat: Self.stat) == .init(busy: 160, total: 980))
  }

  @Test func `/proc/stat: four columns are enough`() {
    #expect(Proc.processorTime(stat: "cpu 1 2 3 4\n") == .init(busy: 6, total: 10))
  }

  @Test func `/proc/stat: the busy share is that between two readings`() {
    let first = Proc.ProcessorTime(busy: 100, total: 1_000)
    #expect(Proc.ProcessorTime(busy: 125, total: 1_100).share(since: first) == 0.25)
    #expect(first.share(since: first) == 0)
    // Time that decreases, as on some virtual machines.
    #expect(Proc.ProcessorTime(busy: 90, total: 1_010).share(since: first) == 0)
  }

  @Test func `/proc/meminfo: memory that is not available counts as used, in bytes`() throws {
    let text = "MemTotal:  1000 kB\nMemFree:  100 kB\nMemAvailable:     400 kB\n"
    let memory = try #require(Proc.memory(meminfo: text))
    #expect(memory.used == 614_400)
    #expect(memory.total == 1_024_000)
  }

  @Test func `/proc/loadavg: the three averages are parsed`() {
    #expect(Proc.load(loadavg: "0.31 1.00 12.50 2/345 6789\n") == [0.31, 1, 12.5])
  }

  @Test func `/proc/net/dev: the received bytes of all interfaces are added`() {
    let text = """
      Inter-|   Receive                |  Transmit
       face |bytes    packets errs drop|bytes    packets
          lo: 1000      10    0    0    1000      10
        eth0:234       7    0    0     999       9
      """
    #expect(Proc.bytesReceived(netDev: text) == 1_234)
  }

  @Test(arguments: ["", "\n", "cpu", "cpu a b c d", "MemTotal:\nMemAvailable:", "0.5 x"])
  func `/proc: any other text is nil`(text: String) {
    #expect(Proc.processorTime(stat: text) == nil)
    #expect(Proc.memory(meminfo: text) == nil)
    #expect(Proc.load(loadavg: text) == nil)
    #expect(Proc.bytesReceived(netDev: text) == nil)
  }

  #if os(Linux)
  @Test func `/proc: the figures of this machine are found`() {
    let figures = FiguresReader().next().figures
    #expect(figures.memoryTotal > 0)
    #expect(figures.memoryUsed <= figures.memoryTotal)
    #expect(figures.load.count == 3)
    #expect((0...1).contains(figures.cpu))
    #expect(!figures.areInvented)
  }
  #endif
}
