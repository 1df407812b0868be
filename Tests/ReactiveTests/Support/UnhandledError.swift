import Reactive
import TestSupport

/// An error that no observer handles.
struct UnhandledError: Error {
  var name: String
}

/// The names of the errors that `body` reports to `Hooks.defaultErrorHandler`, and the
/// subjects and relays of `Marked` elements that are reported for overlapping or nested sends.
///
/// The hooks are global: on the main actor, one test at a time replaces them. Reports of other tests
/// are ignored.
@MainActor
func reported(_ body: () -> Void) -> [String] {
  let log = EventRecorder<String>()
  let (errors, anomalies) = (Hooks.defaultErrorHandler, Hooks.anomalyHandler)
  Hooks.defaultErrorHandler = { _, error in
    if let error = error as? UnhandledError { log.append(error.name) }
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
  return log.events
}
