import Synchronization

/// Handlers for events that no observer handles, such as errors without an `onError`.
public enum Hooks {
  /// Reports an error that reached a subscription without an `onError`.
  ///
  /// The first argument describes the origin of the error. While ``Streams/isTraced`` is true, it
  /// lists the operators that the error passed, from the one that failed to `subscribe`, each
  /// in the form `map — Search.swift:43`. The call stack of the subscription follows if
  /// `recordCallStackOnError` was true when the subscription was made. Otherwise the argument is
  /// empty.
  public typealias DefaultErrorHandler =
    @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void

  private static let handlers = Locked(Handlers())

  // A struct: generic code would add another wrapper to a plain closure each time that it returns
  // the closure, and these would accumulate.
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
    // The old handlers are released here, without the lock.
    withExtendedLifetime(before) {}
  }

  /// Called with each error that reached a subscription without an `onError`.
  ///
  /// In debug builds the default writes the error to standard error, together with the operators
  /// that the error passed while tracing is on. In release builds it does nothing.
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

  private static let isRecording = Atomic(false)

  /// Captures a subscription's call stack; the default returns the symbols of the thread's stack.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { handlers.withLock { $0.capture } }
    set { change { $0.capture = newValue } }
  }

  /// Whether subscriptions without an `onError` capture their call stack for the default handler.
  ///
  /// False by default: a capture costs far more than a subscription.
  public static var recordCallStackOnError: Bool {
    get { isRecording.load(ordering: .relaxed) }
    set { isRecording.store(newValue, ordering: .relaxed) }
  }

  /// Returns the end handler of a subscription without an `onError`.
  @usableFromInline static var unhandled: @Sendable ((any Error)?) -> Void {
    if !recordCallStackOnError { return { if let error = $0 { report(error) } } }
    let callStack = customCaptureSubscriptionCallstack()
    return { if let error = $0 { report(error, callStack) } }
  }

  /// Reports an error with the operators that it passed and the call stack, as far as known.
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
