import Synchronization

/// Global handlers of the errors and anomalies that no observer handles.
public enum Hooks {
  /// Reports an error that nothing handles: of a subscription without an `onError`, of a binder or
  /// control property, or of a source that becomes a shared sequence and should not fail.
  ///
  /// The first argument describes the origin of the error. For observables and subscriptions that
  /// were made while ``Streams/isTraced`` was true, it lists the operators that the error passed,
  /// from the one that failed to `subscribe`, each in the form `map — Search.swift:43`. The call
  /// stack of the subscription follows if `recordCallStackOnError` was true when the subscription
  /// was made. With neither, the argument is empty.
  public typealias DefaultErrorHandler = @Sendable (_ origin: [String], _ error: any Error) -> Void

  private static let handlers = Locked(Handlers())

  // A struct: `Locked` is generic, and a plain closure gets one more wrapper each time that generic
  // code returns it.
  private struct Handlers {
    var error: DefaultErrorHandler = writeToStandardError
    var anomaly: @Sendable (SendAnomaly) -> Void = { writeErrorLine("Reactive: \($0)") }
    var capture: CustomCaptureSubscriptionCallstack = currentCallStack
  }

  private static func change(_ body: (inout Handlers) -> Void) {
    let before = handlers.withLock { handlers in
      let before = handlers
      body(&handlers)
      return before
    }
    // The old handlers are released here, without the lock.
    withExtendedLifetime(before) {}
  }

  /// Called with each error that nothing handles, on the thread that delivers the error.
  ///
  /// In debug builds the default writes the error to standard error, together with its origin. In
  /// release builds it does nothing.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { handlers.withLock { $0.error } }
    set { change { $0.error = newValue } }
  }

  /// Called in debug builds, once for each kind of anomaly of each subject or relay.
  ///
  /// The default writes a line to standard error.
  package static var anomalyHandler: @Sendable (SendAnomaly) -> Void {
    get { handlers.withLock { $0.anomaly } }
    set { change { $0.anomaly = newValue } }
  }

  /// Returns the call stack of a subscription that is being made.
  public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

  private static let recordsCallStack = Atomic(false)

  /// Captures a subscription's call stack; the default returns the symbols of the thread's stack.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { handlers.withLock { $0.capture } }
    set { change { $0.capture = newValue } }
  }

  /// Whether subscriptions without an `onError` capture their call stack for the default handler.
  ///
  /// False by default: a capture costs far more than a subscription.
  public static var recordCallStackOnError: Bool {
    get { recordsCallStack.load(ordering: .relaxed) }
    set { recordsCallStack.store(newValue, ordering: .relaxed) }
  }

  /// Makes the end handler of a subscription without an `onError`.
  @usableFromInline static func makeReportingEnd() -> @Sendable ((any Error)?) -> Void {
    if !recordCallStackOnError { return { if let error = $0 { report(error) } } }
    let callStack = customCaptureSubscriptionCallstack()
    return { if let error = $0 { report(error, callStack) } }
  }

  /// Reports an error with the operators that it passed and the call stack, as far as known.
  @usableFromInline static func report(_ error: any Error, _ callStack: [String] = []) {
    if let host = HostSystem.current { return host.note(unhandled: error) }
    defaultErrorHandler(Streams.failedChain + callStack, error)
  }

  private static func writeToStandardError(_ origin: [String], _ error: any Error) {
    #if DEBUG
    let lines = origin.map { "\n  \($0)" }.joined()
    writeErrorLine("Reactive: an error that no onError or catch handles: \(error)\(lines)")
    #endif
  }
}
