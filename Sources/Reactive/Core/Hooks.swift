import Foundation
import Synchronization

/// Where the library reports what nobody handles.
public enum Hooks {
  /// Reports an error that reached a subscription without an `onError`.
  ///
  /// The first argument is the subscription's call stack: empty unless `recordCallStackOnError` was true
  /// when it was made.
  public typealias DefaultErrorHandler =
    @Sendable (_ subscriptionCallStack: [String], _ error: any Error) -> Void

  private static let errorHandler = Locked<DefaultErrorHandler>(writeToStandardError)

  /// Called with each error that reached a subscription without an `onError`.
  ///
  /// The default writes one line to standard error in debug builds and does nothing in release
  /// builds.
  public static var defaultErrorHandler: DefaultErrorHandler {
    get { errorHandler.withLock { $0 } }
    set { _ = errorHandler.replace(with: newValue) }
  }

  /// Captures the call stack of a subscription.
  public typealias CustomCaptureSubscriptionCallstack = @Sendable () -> [String]

  private static let capture = Locked<CustomCaptureSubscriptionCallstack>({
    Thread.callStackSymbols
  })
  private static let isRecording = Atomic(false)

  /// How a subscription's call stack is captured; by default, the symbols that the thread knows.
  public static var customCaptureSubscriptionCallstack: CustomCaptureSubscriptionCallstack {
    get { capture.withLock { $0 } }
    set { _ = capture.replace(with: newValue) }
  }

  /// Whether subscriptions without an `onError` capture their call stack, for the default error
  /// handler; false by default, for it costs far more than a subscription.
  public static var recordCallStackOnError: Bool {
    get { isRecording.load(ordering: .relaxed) }
    set { isRecording.store(newValue, ordering: .relaxed) }
  }

  /// What a subscription without an `onError` does with its end.
  @usableFromInline static var unhandled: @Sendable ((any Error)?) -> Void {
    if !recordCallStackOnError { return { if let error = $0 { defaultErrorHandler([], error) } } }
    let callStack = customCaptureSubscriptionCallstack()
    return { if let error = $0 { defaultErrorHandler(callStack, error) } }
  }

  private static func writeToStandardError(_: [String], _ error: any Error) {
    #if DEBUG
    let text =
      error is OverlappingSends
      ? "\(error). Send from one thread at a time."
      : "unhandled error \(error). Subscribe with onError, or catch it."
    FileHandle.standardError.write(Data("Reactive: \(text)\n".utf8))
    #endif
  }
}
