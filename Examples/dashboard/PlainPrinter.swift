/// The lines to print for a change of the state.
enum PlainPrinter {
  /// The events of the connection, and once a second the figures.
  static func lines(from old: DashboardState, to new: DashboardState) -> [String] {
    var lines: [String] = []
    if new.link != old.link || new.actions == 1, let line = link(new) { lines.append(line) }
    if new.seconds != old.seconds { lines.append(figures(new)) }
    return lines
  }

  /// The counts of the whole run, in one line.
  static func summary(_ state: DashboardState) -> String {
    let parts = [
      Format.count(state.frames.total, "frame"),
      Format.count(state.actions, "action"),
      Format.count(state.ticks, "tick"),
      Format.count(state.reconnects, "reconnect"),
      "\(state.lost) lost",
    ]
    return "summary: " + parts.joined(separator: ", ")
  }

  private static func link(_ state: DashboardState) -> String? {
    switch state.link {
    case .connecting: "connecting to \(Format.printable(state.url))"
    case .connected where state.reconnects > 0: "connected again"
    case .connected: "connected"
    case .disconnected: "disconnected, connecting again"
    // The program exits with the error.
    case .failed: nil
    }
  }

  private static func figures(_ state: DashboardState) -> String {
    let rate = Format.right(Format.count(Int(state.frames.growth.values.last ?? 0), "frame"), 9)
    let bytes = Format.right(Format.bytes(state.bytes.growth.values.last ?? 0), 8)
    let received = "received \(rate) \(bytes)"
    guard let figures = state.figures else {
      let last = state.messages.values.last.map { "   last \(Format.printable($0))" }
      return received + (last ?? "")
    }
    return [
      "cpu \(Format.right(Format.percent(figures.cpu), 5))",
      "memory \(Format.right(Format.bytes(Double(figures.memoryUsed)), 8))",
      "load \(Format.load(figures.load))",
      "network \(Format.right(Format.bytes(state.network.values.last ?? 0), 8))/s",
      received,
    ]
    .joined(separator: "   ")
  }
}
