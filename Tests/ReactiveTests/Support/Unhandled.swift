import Reactive

/// An error that nobody is to handle.
struct Unhandled: Error {
  var name: String
}

/// The names of the `Unhandled` errors that `body` reports to `Hooks.defaultErrorHandler`, and the
/// subjects and relays of `Marked` elements that are reported for overlapping or nested sends.
///
/// The hooks are global: on the main actor, one test at a time replaces them, and what other tests report
/// is not counted.
@MainActor
func reported(_ body: () -> Void) -> [String] {
  let log = Log<String>()
  let (errors, anomalies) = (Hooks.defaultErrorHandler, Hooks.anomalyHandler)
  Hooks.defaultErrorHandler = { _, error in
    if let error = error as? Unhandled { log.append(error.name) }
  }
  Hooks.anomalyHandler = { anomaly in
    switch anomaly {
    case .overlapping(let subject) where subject.contains("Marked"): log.append(subject)
    case .nested(let subject) where subject.contains("Marked"): log.append("nested \(subject)")
    case .overlapping, .nested: break
    }
  }
  defer { (Hooks.defaultErrorHandler, Hooks.anomalyHandler) = (errors, anomalies) }
  body()
  return log.entries
}
