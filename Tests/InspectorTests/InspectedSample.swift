import Inspector
import ReactiveTesting

@testable import Inspector

/// A composer on virtual time that a program of the inspector records.
final class InspectedSample {
  let time = VirtualTime()
  let program: InspectedProgram
  let composed: Composed<Sample.State, Sample.Action>

  init(_ configure: (inout InspectorConfiguration) -> Void = { _ in }) {
    var configuration = InspectorConfiguration()
    configure(&configuration)
    program = InspectedProgram(configuration)
    composed = Composed(sending: Sample(), on: .virtual(time))
    add(composed)
    time.settle()
  }

  func add<State, Action>(_ composed: Composed<State, Action>) {
    if let store = TracedStore<State, Action>.of(composed.actions) { program.storeBound(store) }
  }

  /// Sends actions, one after the other, and runs what is due.
  func send(_ actions: Sample.Action...) {
    for action in actions { composed.send(action) }
    time.settle()
  }

  var log: EventLog { program.log }

  /// The rows of all events that are kept.
  var rows: [Row] {
    log.events.compactMap { log.event($0) }.map { program.reader.row(of: $0) }
  }

  /// One text for each row: `step 1 outside add(1)`, `started 2`.
  var texts: [String] { rows.map(\.shortText) }

  /// The number of the event of a step.
  func event(ofStep step: Int) -> Int {
    rows.first { $0.step == step && $0.kind == "step" }?.event ?? 0
  }
}

extension Row {
  var shortText: String {
    switch kind {
    case "step":
      let number = source?.step ?? source?.effect
      return "step \(step ?? 0) \(source?.kind ?? "")" + (number.map { " \($0)" } ?? "")
        + ": \(text ?? "")"
    case "started": return "started \(effect ?? 0) \(origin?.kind ?? "") \(id ?? "-")"
    default: return "ended \(effect ?? 0) \(outcome ?? "")"
    }
  }
}
