/// Columns and lines.
struct Size: Equatable, Sendable {
  var width: Int
  var height: Int
}

/// The dashboard as lines of text: a function of a state and a size, and of nothing else.
struct Page {
  let state: DashboardState

  init(_ state: DashboardState) { self.state = state }

  /// As many lines as `size` is high, each as long as it is wide.
  func lines(_ size: Size) -> [StyledText] {
    guard size.width > 0, size.height > 0 else { return [] }
    let isRoomy = size.width >= 50 && size.height >= 16
    let lines = isRoomy ? roomyLines(size) : narrowLines
    let empty = Array(repeating: StyledText(), count: max(0, size.height - lines.count))
    return (lines + empty).prefix(size.height).map { $0.fitted(to: size.width) }
  }

  /// Panels in two columns, between a header and the keys.
  private func roomyLines(_ size: Size) -> [StyledText] {
    let height = size.height - 2
    let right = min(40, size.width * 7 / 16)
    let left = size.width - right - 1
    let columns = zip(
      stacked(leftPanels, width: left, height: height),
      stacked([connectionPanel, actionsPanel], width: right, height: height)
    )
    return [header(size.width)] + columns.map { $0 + StyledText(" ") + $1 } + [keys]
  }

  /// One figure a line, the most important first.
  private var narrowLines: [StyledText] {
    let figures = state.figures.map {
      [
        StyledText("cpu     \(Format.percent($0.cpu))"),
        StyledText("memory  \(Format.percent($0.memory))"),
        StyledText("load    \(Format.load($0.load))"),
      ]
    }
    let last = state.log.values.last.map { StyledText($0.text, .faint) }
    return [linkText] + (figures ?? [])
      + [StyledText("frames  \(state.frames.total)"), StyledText("network \(networkRate)")]
      + [last ?? StyledText(), keys]
  }

  /// Panels on top of each other; those without a height of their own share what the others leave.
  private func stacked(_ panels: [Panel], width: Int, height: Int) -> [StyledText] {
    var room = height - panels.compactMap(\.height).reduce(0, +)
    var sharing = panels.count { $0.height == nil }
    return panels.flatMap { panel in
      if let height = panel.height { return panel.lines(width: width, height: height) }
      let share = (room + sharing - 1) / sharing
      room -= share
      sharing -= 1
      return panel.lines(width: width, height: share)
    }
  }

  // MARK: Around the panels

  private func header(_ width: Int) -> StyledText {
    let name = StyledText(" dashboard", .bold)
    let url = StyledText("  \(Format.printable(state.url))", .blue)
    let clock = StyledText("\(Format.clock(state.seconds)) ", .faint)
    return (name + url).spread(clock, over: width)
  }

  private var keys: StyledText {
    let keys = [
      ("s", state.isPolling ? "stop polling" : "start polling"),
      ("d", "drop the connection"),
      ("q", "quit"),
    ]
    return keys.reduce(StyledText()) { line, key in
      line + StyledText(" \(key.0)", .bold) + StyledText(" \(key.1)  ", .faint)
    }
  }

  private var linkText: StyledText {
    switch state.link {
    case .connecting: StyledText("◌ connecting", .orange)
    case .connected: StyledText("● connected", .green)
    case .waiting(let delay): StyledText("◌ again in \(Double(delay) / 1_000) s", .orange)
    case .failed: StyledText("● failed", .red)
    }
  }

  // MARK: Panels

  /// Those of a machine, or those of messages when they are not about one.
  private var leftPanels: [Panel] {
    if let figures = state.figures {
      [cpuPanel(figures), memoryPanel(figures), networkPanel]
    } else if state.frames.total > 0 {
      [
        growthPanel("Frames a second", state.frames) { Format.count(Int($0), "frame") },
        growthPanel("Bytes a second", state.bytes, Format.bytes),
        messagesPanel,
      ]
    } else {
      [Panel(title: "Nothing yet") { _, _ in [StyledText("waiting for a message", .faint)] }]
    }
  }

  private func cpuPanel(_ figures: Figures) -> Panel {
    Panel(
      title: figures.areInvented ? "CPU (invented)" : "CPU",
      value: StyledText(Format.percent(figures.cpu), heat(figures.cpu)),
      footnote: StyledText("load  \(Format.load(figures.load))", .faint)
    ) { width, height in
      chart(state.cpu.values, ceiling: 1, width: width, height: height, style: heat)
    }
  }

  private func memoryPanel(_ figures: Figures) -> Panel {
    let used = Format.bytes(Double(figures.memoryUsed))
    let total = Format.bytes(Double(figures.memoryTotal))
    return Panel(
      title: "Memory",
      value: StyledText(Format.percent(figures.memory), .violet),
      footnote: StyledText("\(used) of \(total)", .faint),
      height: 3
    ) { width, _ in
      [gauge(figures.memory, width: width, .violet)]
    }
  }

  private var networkPanel: Panel {
    Panel(
      title: "Network",
      value: StyledText(networkRate, .blue),
      footnote: state.isPolling
        ? StyledText(Format.count(state.ticks, "tick"), .faint) : StyledText("stopped", .orange)
    ) { width, height in
      growthChart(state.network.values, width, height, .blue)
    }
  }

  private func growthPanel(
    _ title: String,
    _ counter: Counter,
    _ format: (Double) -> String
  ) -> Panel {
    let values = counter.growth.values
    return Panel(title: title, value: StyledText(format(values.last ?? 0), .blue), height: 6) {
      growthChart(values, $0, $1, .blue)
    }
  }

  private var messagesPanel: Panel {
    Panel(title: "Messages") { _, height in
      state.messages.values.suffix(height).map { StyledText(Format.printable($0)) }
    }
  }

  private var connectionPanel: Panel {
    let rows: [(String, String, String)] = [
      ("frames", "\(state.frames.total)", "\(Int(state.frames.growth.values.last ?? 0))/s"),
      (
        "received", Format.bytes(Double(state.bytes.total)),
        Format.bytes(state.bytes.growth.values.last ?? 0) + "/s"
      ),
      ("actions", "\(state.actions)", ""),
      ("reconnects", "\(state.reconnects)", ""),
      ("lost", "\(state.lost)", ""),
    ]
    return Panel(title: "Connection", height: 3 + rows.count) { width, _ in
      [linkText]
        + rows.map { name, count, rate in
          let count = StyledText(Format.right(count, width < 24 ? 0 : 8))
          let name = StyledText(name.padded(to: 11), .faint)
          return (name + count).spread(StyledText(rate, .faint), over: width)
        }
    }
  }

  private var actionsPanel: Panel {
    Panel(title: "Actions") { _, height in
      state.log.values.suffix(height).map { entry in
        let style: Style = entry.isRoutine ? .plain : .orange
        return StyledText(Format.right("\(entry.number)", 5) + "  ", .faint)
          + StyledText(Format.printable(entry.text), style)
      }
    }
  }

  // MARK: Parts of panels

  /// A chart whose ceiling is the highest value that it shows.
  private func growthChart(
    _ values: [Double],
    _ width: Int,
    _ height: Int,
    _ style: Style
  ) -> [StyledText] {
    let ceiling = values.suffix(max(0, width)).max() ?? 0
    return chart(values, ceiling: ceiling, width: width, height: height) { _ in style }
  }

  private var networkRate: String { Format.bytes(state.network.values.last ?? 0) + "/s" }

  private func heat(_ share: Double) -> Style {
    share < 0.5 ? .green : share < 0.75 ? .orange : .red
  }
}

extension String {
  /// This at the left of `width` columns.
  fileprivate func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
