/// What a program injects into its composers and their effects: an API, a clock, random numbers.
///
/// ```swift
/// let session = Composed(sending: Session()) { $0.library = .production }  // inject
///
/// final class Session: Composer {
///   private let library = Dependencies.current.library                     // read
/// ```
///
/// A dependency is a property of this type, which an extension declares for a ``DependencyKey``.
/// It is injected where a composer is bound, and read by ``current``. A composer that is bound in
/// the reducer or in an effect of another one inherits its dependencies, and children do.
///
/// In a process with `ReactiveTesting`, which tests link, a dependency that was not injected has
/// the value that its key declares for tests. When the key declares none, the test fails.
public struct Dependencies: Sendable {
  private var injected = DependencyTable()
  // Declared here for speed: each effect that starts reads it.
  package private(set) var injectedClock: (any SchedulerType)?
  package var test: RunningTest?

  /// The dependencies of a program that injects nothing.
  public init() { self.init(in: .ofProcess) }

  /// The dependencies of a test that injects nothing.
  package init(in test: RunningTest?) { self.test = test }

  /// The dependency of `key`: the injected value, or the key's own.
  public subscript<Key: DependencyKey>(key: Key.Type) -> Key.Value {
    get { injected[key] ?? test?.value(of: key) ?? key.liveValue }
    set { injected[key] = newValue }
  }

  /// The clock of timers, delays and sleeps without a scheduler of their own: the executor's by
  /// default, virtual in a test.
  public var clock: any SchedulerType {
    get { injectedClock ?? MainScheduler.instance }
    set { injectedClock = newValue }
  }

  /// The dependencies of the composer whose init, reducer or effect is running here.
  ///
  /// They are found in a composer's `init`, its reducer, `stateEffects(_:)` and
  /// `effectFailed(_:)`, in the closures of `.run`, `.decide` and ``StateEffect``, in what these
  /// await, and in middleware. The closure of an operator may run on a thread of its source, and a
  /// detached task has no composer: read the dependency before, and capture it.
  ///
  /// Elsewhere, nothing is injected.
  public static var current: Dependencies { EffectContext.dependencies }

  /// Runs `body`, in which the dependencies that `change` has changed are current.
  ///
  /// ```swift
  /// let root = Dependencies.with {
  ///   $0.library = .production
  /// } run: {
  ///   RootScreen()
  /// }
  /// ```
  ///
  /// Composers that are created and bound in `body` receive these dependencies.
  ///
  /// - Parameters:
  ///   - change: receives the dependencies that are current outside `body`.
  ///   - body: called once, before this returns.
  public static func with<Result>(
    _ change: (inout Dependencies) -> Void, run body: () throws -> Result
  ) rethrows -> Result {
    var dependencies = current
    change(&dependencies)
    return try EffectContext.with(dependencies, body)
  }

  /// The same for a composer that `body` binds to `executor`, which may have a context of its own.
  @usableFromInline static func with<Result>(
    _ change: (inout Dependencies) -> Void, on executor: some ComposeExecutor,
    run body: () throws -> Result
  ) rethrows -> Result {
    guard let context = EffectContext.inherited(on: executor) else {
      return try with(change, run: body)
    }
    return try context.run { try with(change, run: body) }
  }
}
