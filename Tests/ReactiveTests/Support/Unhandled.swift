import Reactive

/// An error that nobody is to handle.
struct Unhandled: Error {
  var name: String
}

/// The names of the `Unhandled` errors that `body` reports to `Hooks.defaultErrorHandler`, and the
/// subjects and relays of `Marked` elements that are reported for overlapping or nested sends.
///
/// The hook is global: on the main actor, one test at a time replaces it, and what other tests report
/// is not counted.
@MainActor
func reported(_ body: () -> Void) -> [String] {
  let log = Log<String>()
  let before = Hooks.defaultErrorHandler
  Hooks.defaultErrorHandler = { _, error in
    if let error = error as? Unhandled { log.append(error.name) }
    if let error = error as? OverlappingSends, error.subject.contains("Marked") {
      log.append(error.subject)
    }
    if let error = error as? NestedSends, error.subject.contains("Marked") {
      log.append("nested \(error.subject)")
    }
  }
  defer { Hooks.defaultErrorHandler = before }
  body()
  return log.entries
}
