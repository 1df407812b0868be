import Compose
import Dispatch
import ServiceLifecycle

/// A composer as a service: an action begins its work, and another one ends it.
///
/// ```swift
/// ComposerService(
///   composed, start: .connect, stop: .disconnect, isStopped: { $0.connection == .disconnected })
/// ```
///
/// The composer lives as long as the service runs, with all its effects. On a graceful shutdown the
/// service sends `stop`, and returns when `isStopped` is true of the state. When its task is cancelled, it
/// returns at once.
public struct ComposerService<State: Sendable, Action: Sendable>: Service {
  private let composed: Composed<State, Action>
  private let start: Action?
  private let stop: Action?
  private let limit: Duration
  private let isStopped: @Sendable (State) -> Bool

  /// A service of a composer.
  ///
  /// - Parameters:
  ///   - composed: composer that the service retains
  ///   - start: action that is sent when the service starts: none
  ///   - stop: action that is sent on a graceful shutdown: none
  ///   - limit: time from `stop` until the state must be stopped: 10 seconds
  ///   - isStopped: whether the work has ended by a state: true by default, so that the service returns
  ///     after the step of `stop`
  public init(
    _ composed: Composed<State, Action>, start: Action? = nil, stop: Action? = nil,
    within limit: Duration = .seconds(10),
    isStopped: @escaping @Sendable (State) -> Bool = { _ in true }
  ) {
    self.composed = composed
    self.start = start
    self.stop = stop
    self.limit = limit
    self.isStopped = isStopped
  }

  /// Returns when the work has ended after a graceful shutdown, or at once when its task is cancelled.
  ///
  /// - Throws: ``ComposerShutdownError`` when the state is not stopped in time.
  public func run() async throws {
    defer { withExtendedLifetime(composed) {} }
    if let start { composed.send(start) }
    guard (try? await gracefulShutdown()) != nil else { return }
    if let stop { composed.send(stop) }
    // Another thread may reduce the action later.
    let stopped = composed.settled.andThen(composed.states).filter(isStopped).take(1)
      .timeout(
        limit.dispatchInterval, scheduler: ConcurrentDispatchQueueScheduler(qos: .default))
    do {
      for try await _ in stopped.values { return }
    } catch RxError.timeout {
      throw ComposerShutdownError.timedOut(after: limit)
    } catch is CancellationError {
      return
    }
  }
}

/// The error of a composer's service that did not end in time.
public enum ComposerShutdownError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The state was not stopped: the composer is released, which cancels its effects.
  case timedOut(after: Duration)

  /// A sentence about the error.
  public var description: String {
    switch self {
    case .timedOut(let limit): "the composer has not stopped within \(limit)"
    }
  }
}

extension Duration {
  /// The duration in nanoseconds, at most about 292 years.
  fileprivate var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    let nanoseconds = Double(seconds) * 1e9 + Double(attoseconds) / 1e9
    return .nanoseconds(Int(exactly: nanoseconds.rounded()) ?? .max)
  }
}
