/// An observable whose `connect()`, and not its observers, subscribes to the source.
public protocol ConnectableObservableType: ObservableType {
  /// Subscribes to the source; disposing of the result ends the subscription for all observers.
  func connect() -> any Disposable
}

/// An observable that delivers the elements of its source to all observers while it is connected.
public final class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType,
  @unchecked Sendable
{
  // Immutable; `ConnectionLifecycle` has its own lock.
  let connections: ConnectionLifecycle<Element>

  init(_ connections: ConnectionLifecycle<Element>) {
    self.connections = connections
    super.init(.direct) { connections.current().observe($0) }
  }

  /// Subscribes to the source, unless there is a connection.
  ///
  /// If the previous connection has not released the source yet, the subscription follows the
  /// release. The connection ends with the source, or when the result is disposed of. The next
  /// connection begins anew, and has its own subject if `makeSubject` makes one.
  public func connect() -> any Disposable { connections.connect() }
}
