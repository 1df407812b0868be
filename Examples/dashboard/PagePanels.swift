// The contents of the page; Page.swift has the layout.

extension Page {
  /// The panels of a machine, or those of messages when the server sends no samples.
  var leftPanels: [Panel] {
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

  var connectionPanel: Panel {
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

  var actionsPanel: Panel {
    Panel(title: "Actions") { _, height in
      state.log.values.suffix(height).map { entry in
        let style: Style = entry.isRoutine ? .plain : .orange
        return StyledText(Format.right("\(entry.number)", 5) + "  ", .faint)
          + StyledText(Format.printable(entry.text), style)
      }
    }
  }

  // MARK: Parts of panels

  /// The state of the connection, in two words.
  var linkText: StyledText {
    switch state.link {
    case .connecting: StyledText("◌ connecting", .orange)
    case .connected: StyledText("● connected", .green)
    case .disconnected: StyledText("◌ connecting again", .orange)
    case .failed: StyledText("● failed", .red)
    }
  }

  /// A chart whose ceiling is its highest value.
  private func growthChart(
    _ values: [Double],
    _ width: Int,
    _ height: Int,
    _ style: Style
  ) -> [StyledText] {
    let ceiling = values.suffix(max(0, width)).max() ?? 0
    return chart(values, ceiling: ceiling, width: width, height: height) { _ in style }
  }

  var networkRate: String { Format.bytes(state.network.values.last ?? 0) + "/s" }

  /// The colour of a busy share.
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
