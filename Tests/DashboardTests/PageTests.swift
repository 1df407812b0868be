import TestSupport
import Testing

@testable import dashboard

@Suite("The page", .workerPool)
struct PageTests {
  /// A dashboard that has run for a minute.
  static var busy: DashboardState {
    var state = DashboardState(url: "ws://127.0.0.1:8080/")
    state.link = .connected
    state.connections = 2
    state.seconds = 61
    state.figures = Figures(
      cpu: 0.625,
      memoryUsed: 6 << 30,
      memoryTotal: 16 << 30,
      load: [0.31, 1, 12.5]
    )
    for step in 0..<30 { state.cpu.append(Double(step) / 30) }
    for step in 0..<10 { state.network.append(Double(step) * 1_024) }
    state.isPolling = true
    state.ticks = 61
    state.frames.add(240)
    state.bytes.add(30_000)
    state.frames.mark()
    state.bytes.mark()
    state.frames.add(4)
    state.bytes.add(512)
    state.frames.mark()
    state.bytes.mark()
    state.actions = 1_042
    for number in 1_031...1_042 {
      state.log.append(.init(number: number, text: "sample \(number)", isRoutine: true))
    }
    return state
  }

  @Test(arguments: [120, 80, 50, 30])
  func `the whole address of the inspector is visible`(width: Int) {
    let address = "http://127.0.0.1:35387/5251671bdd52112026fe69d93406d805/"
    let lines = Page(Self.busy, inspector: address).lines(Size(width: width, height: 24))
    #expect(lines.count == 24)
    #expect(lines.map(\.text).joined().contains(address))
    #expect(lines.last?.text.contains("quit") == (width >= 50))
  }

  /// The page without the spaces at the ends of its lines.
  static func text(_ state: DashboardState, _ width: Int, _ height: Int) -> String {
    let lines = Page(state).lines(Size(width: width, height: height)).map { line in
      String(line.text.reversed().drop { $0 == " " }.reversed())
    }
    return lines.joined(separator: "\n")
  }

  /// Messages of a foreign server, one of which is malicious.
  static var foreign: DashboardState {
    var state = DashboardState(url: "ws://chat.example/")
    state.link = .disconnected
    for text in ["hello", "a\u{1B}[31mb\n", String(repeating: "long ", count: 20)] {
      state.messages.append(text)
      state.frames.add(1)
      state.bytes.add(text.utf8.count)
      state.frames.mark()
      state.bytes.mark()
    }
    state.actions = 5
    state.log.append(.init(number: 4, text: "message of 5 bytes", isRoutine: true))
    state.log.append(.init(number: 5, text: "disconnected", isRoutine: false))
    return state
  }

  /// Messages with control characters.
  static var absurd: DashboardState {
    var state = busy
    state.url = String(repeating: "ws://💥", count: 50)
    state.figures = Figures(
      cpu: 1e300,
      memoryUsed: .max,
      memoryTotal: 1,
      load: [-.infinity, 1e300, .nan]
    )
    for value in [-1, .infinity, .nan, 1e300, 0] {
      state.cpu.append(value)
      state.network.append(value)
    }
    state.frames.add(1 << 60)
    state.bytes.add(1 << 60)
    state.actions = .max
    state.lost = .max
    state.link = .disconnected
    return state
  }

  static var begun: DashboardState { DashboardState(url: "ws://127.0.0.1:8080/") }

  @Test func `the page fills a window of 80x24`() {
    #expect(
      Self.text(Self.busy, 80, 24) == """
         dashboard  ws://127.0.0.1:8080/                                          01:01
        ╭─ CPU ───────────────────────────── 63 % ─╮ ╭─ Connection ────────────────────╮
        │                                      ▂▄▆ │ │ ● connected                     │
        │                                  ▁▃▅▇███ │ │ frames          244         4/s │
        │                              ▁▃▅▇███████ │ │ received   29.8 KiB     512 B/s │
        │                           ▂▄▆███████████ │ │ actions        1042             │
        │                       ▂▄▆███████████████ │ │ reconnects        1             │
        │                   ▁▃▅▇██████████████████ │ │ lost              0             │
        │               ▁▃▅▇██████████████████████ │ ╰─────────────────────────────────╯
        │           ▁▂▄▆██████████████████████████ │ ╭─ Actions ───────────────────────╮
        ╰──────────────── load  0.31  1.00  12.50 ─╯ │  1031  sample 1031              │
        ╭─ Memory ────────────────────────── 38 % ─╮ │  1032  sample 1032              │
        │ ███████████████························· │ │  1033  sample 1033              │
        ╰──────────────────── 6.0 GiB of 16.0 GiB ─╯ │  1034  sample 1034              │
        ╭─ Network ──────────────────── 9.0 KiB/s ─╮ │  1035  sample 1035              │
        │                                       ▂█ │ │  1036  sample 1036              │
        │                                      ▄██ │ │  1037  sample 1037              │
        │                                     ▅███ │ │  1038  sample 1038              │
        │                                   ▁▇████ │ │  1039  sample 1039              │
        │                                  ▃██████ │ │  1040  sample 1040              │
        │                                 ▄███████ │ │  1041  sample 1041              │
        │                               ▁▆████████ │ │  1042  sample 1042              │
        ╰─────────────────────────────── 61 ticks ─╯ ╰─────────────────────────────────╯
         s stop polling   d drop the connection   q quit
        """
    )
  }

  @Test func `the page fills a window of 60x20`() {
    #expect(
      Self.text(Self.busy, 60, 20) == """
         dashboard  ws://127.0.0.1:8080/                      01:01
        ╭─ CPU ────────────────── 63 % ─╮ ╭─ Connection ───────────╮
        │                          ▂▃▅▆ │ │ ● connected            │
        │                     ▂▃▅▆█████ │ │ frames     244     4/s │
        │                ▂▃▅▆██████████ │ │ received   29.8 KiB    │
        │           ▂▃▅▆███████████████ │ │ actions    1042        │
        │      ▂▃▅▆████████████████████ │ │ reconnects 1           │
        │ ▂▃▅▆█████████████████████████ │ │ lost       0           │
        ╰───── load  0.31  1.00  12.50 ─╯ ╰────────────────────────╯
        ╭─ Memory ─────────────── 38 % ─╮ ╭─ Actions ──────────────╮
        │ ██████████▉·················· │ │  1035  sample 1035     │
        ╰───────── 6.0 GiB of 16.0 GiB ─╯ │  1036  sample 1036     │
        ╭─ Network ───────── 9.0 KiB/s ─╮ │  1037  sample 1037     │
        │                            ▄█ │ │  1038  sample 1038     │
        │                          ▃▇██ │ │  1039  sample 1039     │
        │                        ▂▆████ │ │  1040  sample 1040     │
        │                      ▁▅██████ │ │  1041  sample 1041     │
        │                    ▁▄████████ │ │  1042  sample 1042     │
        ╰──────────────────── 61 ticks ─╯ ╰────────────────────────╯
         s stop polling   d drop the connection   q quit
        """
    )
  }

  @Test func `the page is a list in a small window`() {
    #expect(
      Self.text(Self.busy, 24, 8) == """
        ● connected
        cpu     63 %
        memory  38 %
        load    0.31  1.00  12.…
        frames  244
        network 9.0 KiB/s
        sample 1042
         s stop polling   d dro…
        """
    )
  }

  @Test func `the page shows messages of a foreign server, printable and truncated`() {
    #expect(
      Self.text(Self.foreign, 60, 20) == """
         dashboard  ws://chat.example/                        00:00
        ╭─ Frames a second ─── 1 frame ─╮ ╭─ Connection ───────────╮
        │                           ███ │ │ ◌ connecting again     │
        │                           ███ │ │ frames     3       1/s │
        │                           ███ │ │ received   113 B       │
        │                           ███ │ │ actions    5           │
        ╰───────────────────────────────╯ │ reconnects 0           │
        ╭─ Bytes a second ────── 100 B ─╮ │ lost       0           │
        │                             █ │ ╰────────────────────────╯
        │                             █ │ ╭─ Actions ──────────────╮
        │                             █ │ │     4  message of 5 b… │
        │                           ▂▃█ │ │     5  disconnected    │
        ╰───────────────────────────────╯ │                        │
        ╭─ Messages ────────────────────╮ │                        │
        │ hello                         │ │                        │
        │ a·[31mb·                      │ │                        │
        │ long long long long long lon… │ │                        │
        │                               │ │                        │
        ╰───────────────────────────────╯ ╰────────────────────────╯
         s start polling   d drop the connection   q quit
        """
    )
  }

  @Test(arguments: [(24, 9), (80, 24)])
  func `the page contains no control characters of a server`(width: Int, height: Int) {
    var state = Self.foreign
    state.url += "\u{1B}[2J"
    state.log.append(.init(number: 6, text: "failed: \u{1B}[2J\r\n\u{9B}0m", isRoutine: false))
    let text = Self.text(state, width, height)
    #expect(text.contains("failed: ·[2J···0m"))
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || !(0..<0x20).contains($0.value) })
  }

  @Test func `the page keeps its layout with extreme figures`() {
    #expect(
      Self.text(Self.absurd, 60, 20) == """
         dashboard  ws://·ws://·ws://·ws://·ws://·ws://·ws://·ws://…
        ╭─ CPU ───────────────── 999 % ─╮ ╭─ Connection ───────────╮
        │                     ▂▃▅▆ █ █  │ │ ◌ connecting again     │
        │                ▂▃▅▆█████ █ █  │ │ frames     1152921504… │
        │           ▂▃▅▆██████████ █ █  │ │ received   1.0 EiB     │
        │      ▂▃▅▆███████████████ █ █  │ │ actions    9223372036… │
        │ ▂▃▅▆████████████████████ █ █  │ │ reconnects 1           │
        │ ████████████████████████▁█▁█▁ │ │ lost       9223372036… │
        ╰─── load  0.00  9999.00  0.00 ─╯ ╰────────────────────────╯
        ╭─ Memory ────────────── 100 % ─╮ ╭─ Actions ──────────────╮
        │ █████████████████████████████ │ │  1035  sample 1035     │
        ╰───────────── 16.0 EiB of 1 B ─╯ │  1036  sample 1036     │
        ╭─ Network ───────────── 0 B/s ─╮ │  1037  sample 1037     │
        │                               │ │  1038  sample 1038     │
        │                               │ │  1039  sample 1039     │
        │                               │ │  1040  sample 1040     │
        │                               │ │  1041  sample 1041     │
        │               ▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁ │ │  1042  sample 1042     │
        ╰──────────────────── 61 ticks ─╯ ╰────────────────────────╯
         s stop polling   d drop the connection   q quit
        """
    )
  }

  @Test func `the page has a text for a server that has sent no message`() {
    #expect(
      Self.text(Self.begun, 60, 16) == """
         dashboard  ws://127.0.0.1:8080/                      00:00
        ╭─ Nothing yet ─────────────────╮ ╭─ Connection ───────────╮
        │ waiting for a message         │ │ ◌ connecting           │
        │                               │ │ frames     0       0/s │
        │                               │ │ received   0 B   0 B/s │
        │                               │ │ actions    0           │
        │                               │ │ reconnects 0           │
        │                               │ │ lost       0           │
        │                               │ ╰────────────────────────╯
        │                               │ ╭─ Actions ──────────────╮
        │                               │ │                        │
        │                               │ │                        │
        │                               │ │                        │
        │                               │ │                        │
        ╰───────────────────────────────╯ ╰────────────────────────╯
         s start polling   d drop the connection   q quit
        """
    )
  }

  @Test(arguments: [(0, 0), (1, 1), (3, 50), (50, 16), (49, 16), (50, 15), (200, 3), (300, 90)])
  func `the page fills windows of every size exactly`(width: Int, height: Int) {
    for state in [Self.busy, Self.foreign, Self.absurd, Self.begun] {
      let lines = Page(state).lines(Size(width: width, height: height))
      #expect(lines.count == (width == 0 ? 0 : height))
      #expect(lines.allSatisfy { $0.width == width })
    }
  }

  @Test func `a chart colours each row by its height`() {
    let rows = chart([1], ceiling: 1, width: 1, height: 2) { $0 < 0.5 ? .green : .red }
    #expect(rows == [StyledText("█", .red), StyledText("█", .green)])
    #expect(rows[0].escaped == "\u{1B}[38;5;167m█\u{1B}[0m")
  }

  @Test func `a gauge draws bars in eighths of a column`() {
    #expect(gauge(0.5, width: 4, .green).text == "██··")
    #expect(gauge(0.53125, width: 4, .green).text == "██▏·")
    #expect(gauge(2, width: 4, .green).text == "████")
    #expect(gauge(.nan, width: 2, .green).text == "··")
  }
}
