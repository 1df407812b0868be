import Foundation

/// Where the library reports what nobody handles.
public enum Hooks {
  /// Reports an error that reached a subscription without an `onError`.
  ///
  /// The first argument is the subscription's call stack: empty, since it is not captured.
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
