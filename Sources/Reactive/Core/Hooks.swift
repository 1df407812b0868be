import Synchronization

/// Where the library reports what nobody handles.
public enum Hooks {
  /// Reports an error that reached a subscription without an `onError`.
  ///
  /// The first argument is where the error came from. While ``Streams/isTraced``, it is the operators that the error
  /// came through, the one that failed first and `subscribe` last: `map — Search.swift:43`. The subscription's
  /// call stack follows if `recordCallStackOnError` was true when it was made. Otherwise it is empty.
  public typealias DefaultErrorHandler =
    @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void

  private static let handlers = Locked(Handlers())

  // In a struct: a closure by itself would be wrapped once more each time that generic code hands it out, for
  // good.
  private struct Handlers {
    var error: DefaultErrorHandler = writeToStandardError
    var anomaly: @Sendable (SendAnomaly) -> Void = { writeErrorLine("Reactive: \($0)") }
    var capture: CustomCaptureSubscriptionCallstack = currentCallStack
  }

  private static func change(_ body: (inout Handlers) -> Void) {
    let before = handlers.withLock { handlers in
      defer { body(&handlers) }
      return handlers
    }
    // Released here, unlocked.
    withExtendedLifetime(before) {}
  }

  /// Called with each error that reached a subscription without an `onError`.
  ///
  /// The default writes the error to standard error in debug builds, while tracing is on with the
  /// operators that it came through, and does nothing in release builds.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { handlers.withLock { $0.error } }
    set { change { $0.error = newValue } }
  }

  /// Called in debug builds, once for each subject or relay and kind of anomaly; the default writes a line to standard error.
  package static var anomalyHandler: @Sendable (SendAnomaly) -> Void {
    get { handlers.withLock { $0.anomaly } }
    set { change { $0.anomaly = newValue } }
  }

  /// Captures the call stack of a subscription.
  public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

  private static let isRecording = Atomic(false)

  /// How a subscription's call stack is captured; by default, the symbols that the thread knows.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { handlers.withLock { $0.capture } }
    set { change { $0.capture = newValue } }
  }

  /// Whether subscriptions without an `onError` capture their call stack, for the default error
  /// handler; false by default, for it costs far more than a subscription.
  public static var recordCallStackOnError: Bool {
    get { isRecording.load(ordering: .relaxed) }
    set { isRecording.store(newValue, ordering: .relaxed) }
  }

  /// What a subscription without an `onError` does with its end.
  @usableFromInline static var unhandled: @Sendable ((any Error)?) -> Void {
    if !recordCallStackOnError { return { if let error = $0 { report(error) } } }
    let callStack = customCaptureSubscriptionCallstack()
    return { if let error = $0 { report(error, callStack) } }
  }

  /// Reports an error, and what is known of where it came from.
  static func report(_ error: any Error, _ callStack: [String] = []) {
    defaultErrorHandler(Streams.failedChain + callStack, error)
  }

  private static func writeToStandardError(_ chain: [String], _ error: any Error) {
    #if DEBUG
    let steps = chain.map { "\n  \($0)" }.joined()
    writeErrorLine("Reactive: an error that no onError or catch handles: \(error)\(steps)")
    #endif
  }
}
