#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Shows what a program does, live and back in time, on a page in a browser.
///
/// ```swift
/// try Inspector.start()
/// // Inspector: http://127.0.0.1:51234/9f86d081884c7d65ab1ce3f1c0e2a7d4/
/// ```
///
/// The page shows each composer that is bound after the start: its steps, states and effects, and the
/// causes of each. The program serves the page itself, to this machine only, at an address with a secret.
/// <doc:Protocol> describes the protocol, for other clients.
///
/// The inspector keeps the states and the actions of the steps until their limit, and with them the objects
/// that they refer to. A composer whose reducer works in place copies what it changes while a step before
/// is kept.
public final class Inspector: Sendable {
  /// The address of the page, with its secret: everyone who has it may see and control the program.
  public let url: String

  private let program: InspectedProgram
  private let server: InspectorServer
  private let observation = SerialDisposable()

  private static let running = Locked<[Inspector]>([])

  /// Starts an inspector in a debug build, or when the environment has `INSPECT=1`, and prints the address
  /// of its page to standard error.
  ///
  /// Call it before the composers are bound. It runs until ``stop()``. With `INSPECT=0`, and in a release
  /// build without `INSPECT=1`, it does nothing and returns nil.
  ///
  /// - Parameter configuration: what is shown to whom.
  /// - Throws: `TransportError` when the address is not usable.
  @discardableResult
  public static func start(_ configuration: InspectorConfiguration = .init())
    throws(TransportError) -> Inspector?
  {
    let wanted = ProcessInfo.processInfo.environment["INSPECT"]
    #if DEBUG
    if wanted == "0" { return nil }
    #else
    if wanted != "1" { return nil }
    #endif
    let inspector = try Inspector(configuration)
    running.withLock { $0.append(inspector) }
    writeErrorLine("Inspector: \(inspector.url)")
    return inspector
  }

  /// Starts an inspector in any build, and prints nothing.
  ///
  /// It runs until ``stop()`` or its release.
  ///
  /// - Parameter configuration: what is shown to whom.
  /// - Throws: `TransportError` when the address is not usable.
  public init(_ configuration: InspectorConfiguration = .init()) throws(TransportError) {
    program = InspectedProgram(configuration)
    server = try InspectorServer(program, configuration)
    url = server.url
    // The sockets that are added send their events this way too.
    let sockets = SocketTaps.observe(program)
    let stores = configuration.observesAll ? StoreBindings.observe(program) : nil
    observation.disposable = Disposables.create([sockets, stores].compactMap(\.self))
    // At the end: what the inspector itself observes is not traced.
    if configuration.tracesStreams { Streams.isTraced = true }
  }

  deinit { stop() }

  /// Observes a composer; without effect when it is observed already.
  ///
  /// Steps and effects from before are not known.
  public func add<State: Sendable, Action: Sendable>(_ composed: Composed<State, Action>) {
    add(composed.actions, State.self)
  }

  /// Observes a bound composer; without effect when it is observed already, or not bound.
  ///
  /// Steps and effects from before are not known.
  public func add<C: Composer>(_ composer: C) { add(composer.action, C.State.self) }

  /// Observes a WebSocket, from now on.
  public func add(_ socket: WebSocket) { program.add(socket.tapped) }

  /// Shows a server, and observes its connections from now on.
  public func add(_ server: WebSocketServer) { program.add(server) }

  /// Observes a composer, which clients may fork: a second composer goes on from an earlier state.
  ///
  /// The fork reduces on the thread that sends to it. Its effects run: inject what they must not reach.
  /// Its `Shared` parts are its own: they begin with the values of the earlier state, and its
  /// steps do not write the `SharedValue`, nor its storage. Effects that use the shared value
  /// itself reach that of the program: inject another one.
  ///
  /// ```swift
  /// inspector.add(session, fork: { SessionComposer() }) { $0.library = .offline }
  /// ```
  ///
  /// - Parameters:
  ///   - composed: the composer.
  ///   - make: returns a new composer of the same type, whose state is then set.
  ///   - change: injects dependencies into the fork, which otherwise has the live ones.
  public func add<C: Composer & SendableMetatype>(
    _ composed: Composed<C.State, C.Action>, fork make: @escaping @Sendable () -> sending C,
    _ change: @escaping @Sendable (inout Dependencies) -> Void = { _ in }
  ) {
    add(composed.actions, C.State.self, ForkMaker(make, change))
  }

  /// Observes a bound composer, which clients may fork: a second composer goes on from an earlier state.
  ///
  /// The fork reduces on the thread that sends to it. Its effects run: inject what they must not reach.
  /// Its `Shared` parts are its own: they begin with the values of the earlier state, and its
  /// steps do not write the `SharedValue`, nor its storage. Effects that use the shared value
  /// itself reach that of the program: inject another one.
  ///
  /// ```swift
  /// inspector.add(session, fork: { SessionComposer() }) { $0.library = .offline }
  /// ```
  ///
  /// - Parameters:
  ///   - composer: the composer.
  ///   - make: returns a new composer of the same type, whose state is then set.
  ///   - change: injects dependencies into the fork, which otherwise has the live ones.
  public func add<C: Composer & SendableMetatype>(
    _ composer: C, fork make: @escaping @Sendable () -> sending C,
    _ change: @escaping @Sendable (inout Dependencies) -> Void = { _ in }
  ) {
    add(composer.action, C.State.self, ForkMaker(make, change))
  }

  private func add<State: Sendable, Action: Sendable>(
    _ relay: PublishRelay<Action>, _ state: State.Type, _ maker: ForkMaker<State, Action>? = nil
  ) {
    guard let store = TracedStore<State, Action>.of(relay) else { return }
    program.record(of: store)
    if let maker { program.setForkMaker(maker, of: store) }
  }

  /// Closes the page's connections, ends the recording and releases the forks.
  ///
  /// `Streams.isTraced` stays as it is.
  public func stop() {
    observation.dispose()
    server.stop()
    program.stop()
    Self.running.withLock { $0.removeAll { $0 === self } }
  }
}
