import Compose
import Logging

extension ComposeHooks {
  /// Writes each ``/Compose/ComposeProblem`` of the process to `logger` at level `error`, instead of
  /// printing it.
  ///
  /// Metadata: `error.type`, and `composer` for a problem of one composer.
  ///
  /// - Parameter logger: receives the problems, on the thread that finds them
  public static func logProblems(to logger: Logger) {
    onProblem = { problem in
      logger.error(
        "\(problem)", error: problem.reason ?? problem, metadata: problem.metadata,
        source: "Compose")
    }
  }
}

extension Hooks {
  /// Writes each error that no observer handles to `logger` at level `error`, instead of printing it.
  ///
  /// Metadata: `error.type`, and `code.stacktrace` with the places of the subscription, if
  /// `Hooks.recordCallStackOnError` is set.
  ///
  /// - Parameter logger: receives the errors, on the thread that delivers them
  public static func logUnhandledErrors(to logger: Logger) {
    defaultErrorHandler = { stack, error in
      var metadata: Logger.Metadata = ["error.type": "\(type(of: error))"]
      if !stack.isEmpty { metadata["code.stacktrace"] = "\(stack.joined(separator: "\n"))" }
      logger.error(
        "unhandled error: \(error)", error: error, metadata: metadata, source: "Reactive")
    }
  }
}

extension ComposeProblem {
  /// The error of the program behind the problem; nil for a programming mistake.
  fileprivate var reason: (any Error)? {
    switch self {
    case .effectFailed(let error, _, _), .stateEffectFailed(let error, _, _),
      .transformFailed(let error, _), .valueNotKept(let error):
      error
    default: nil
    }
  }

  fileprivate var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["error.type": "\(type(of: reason ?? self))"]
    switch self {
    case .effectFailed(_, let composer, _), .stateEffectFailed(_, let composer, _),
      .transformFailed(_, let composer), .mailboxIsFull(let composer, _),
      .mailboxIsLong(let composer, _), .releasedWithActions(let composer, _),
      .dismissedWithoutParent(let composer), .cancelledUnusedID(let composer, _),
      .sharedWithNobody(let composer, _):
      metadata["composer"] = "\(composer)"
    default: break
    }
    return metadata
  }
}
