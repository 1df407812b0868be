/// Columns and lines.
struct Size: Equatable, Sendable {
  var width: Int
  var height: Int
}

/// The dashboard as lines of text, computed from a state and a size.
struct Page {
  let state: DashboardState
  /// The address of the inspector; nil without one.
  let inspector: String?

  init(_ state: DashboardState, inspector: String? = nil) {
    (self.state, self.inspector) = (state, inspector)
  }

  /// Exactly as many lines as `size` has, each as wide as `size`.
  func lines(_ size: Size) -> [StyledText] {
    guard size.width > 0, size.height > 0 else { return [] }
    let isRoomy = size.width >= 50 && size.height >= 16
    let lines = isRoomy ? roomyLines(size) : inspectorLines(size.width) + narrowLines
    let empty = Array(repeating: StyledText(), count: max(0, size.height - lines.count))
    return (lines + empty).prefix(size.height).map { $0.fitted(to: size.width) }
  }

  /// Panels in two columns, between a header and the keys.
  private func roomyLines(_ size: Size) -> [StyledText] {
    let address = inspectorLines(size.width)
    let height = size.height - 2 - address.count
    let right = min(40, size.width * 7 / 16)
    let left = size.width - right - 1
    let columns = zip(
      stacked(leftPanels, width: left, height: height),
      stacked([connectionPanel, actionsPanel], width: right, height: height)
    )
    return [header(size.width)] + address + columns.map { $0 + StyledText(" ") + $1 } + [keys]
  }

  /// One figure in a line, the most important first.
  private var narrowLines: [StyledText] {
    let figures = state.figures.map {
      [
        StyledText("cpu     \(Format.percent($0.cpu))"),
        StyledText("memory  \(Format.percent($0.memory))"),
        StyledText("load    \(Format.load($0.load))"),
      ]
    }
    let last = state.log.values.last.map { StyledText(Format.printable($0.text), .faint) }
    return [linkText] + (figures ?? [])
      + [StyledText("frames  \(state.frames.total)"), StyledText("network \(networkRate)")]
      + [last ?? StyledText(), keys]
  }

  /// Panels on top of each other; those without a height share the remaining lines.
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

  /// The whole address of the inspector, which is of no use without its end.
  private func inspectorLines(_ width: Int) -> [StyledText] {
    guard let inspector else { return [] }
    var rest = " inspector  \(inspector)"[...]
    var lines: [StyledText] = []
    while !rest.isEmpty {
      lines.append(StyledText(String(rest.prefix(width)), .blue))
      rest = rest.dropFirst(width)
    }
    return lines
  }

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
}
