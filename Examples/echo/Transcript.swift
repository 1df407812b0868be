/// The lines that describe a change of the state.
enum Transcript {
  static func lines(from old: EchoComposer.State, to new: EchoComposer.State) -> [String] {
    var lines: [String] = []
    if new.connection != old.connection { lines.append("* \(new.connection)") }
    // A new connection starts with an empty list.
    let known = new.received.count < old.received.count ? 0 : old.received.count
    lines += new.received.dropFirst(known).map { "< \($0)" }
    if let alert = new.alert, alert != old.alert { lines.append("! \(alert)") }
    return lines
  }
}
