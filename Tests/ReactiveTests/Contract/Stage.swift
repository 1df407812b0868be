import Reactive
import ReactiveTesting
import Synchronization

/// A source in the hand: counts who subscribes and who lets go, and may forget its manners.
final class Probe: Sendable {
  private struct State {
    var observers: [(id: Int, observer: Observer<Int>)] = []
    var subscriptions = 0
    var disposals = 0
    var hasCompleted = false

    mutating func add(_ observer: Observer<Int>) -> Int {
      subscriptions += 1
      observers.append((subscriptions, observer))
      return subscriptions
    }

    mutating func remove(_ id: Int) -> [(id: Int, observer: Observer<Int>)] {
      defer { observers.removeAll { $0.id == id } }
      disposals += 1
      return observers.filter { $0.id == id }
    }
  }

  private let state: Locked<State>
  private let isHandMade: Bool
  let observable: Observable<Int>

  /// - Parameter isHandMade: whether it is made by `create`, and knows nothing of lifetimes.
  init(isHandMade: Bool = false) {
    self.isHandMade = isHandMade
    let state = Locked(State())
    self.state = state
    @Sendable func register(_ down: Observer<Int>) -> ActionDisposable {
      let id = state.withLock { $0.add(down) }
      if state.withLock({ $0.hasCompleted }) { down.end(nil) }
      // The closures of the observer are released unlocked.
      return ActionDisposable { withExtendedLifetime(state.withLock { $0.remove(id) }) {} }
    }
    if isHandMade {
      observable = .create { observer in
        register(
          Observer(Lifetime(), next: { observer.onNext($0) }, end: { observer.on(.end($0)) })
        )
      }
    } else {
      observable = Observable(.direct) { down in down.lifetime.add(register(down)) }
    }
  }

  var isObserved: Bool { state.withLock { !$0.observers.isEmpty } }

  /// Whether every subscription was let go of, once.
  var isLetGo: Bool {
    state.withLock { $0.observers.isEmpty && $0.disposals == $0.subscriptions }
  }

  private var observers: [Observer<Int>] { state.withLock { $0.observers.map(\.observer) } }

  func next(_ element: Int) {
    for observer in observers where !observer.lifetime.isDisposed { observer.next(element) }
  }

  /// Completes; whoever subscribes later hears it too.
  func complete() {
    let observers = observers
    state.withLock { $0.hasCompleted = true }
    for observer in observers where !observer.lifetime.isDisposed { observer.end(nil) }
  }

  /// Fails those who observe; the next one begins anew.
  func fail(_ error: any Error = TestError.any) {
    for observer in observers where !observer.lifetime.isDisposed { observer.end(error) }
  }

  /// Ends, and then goes on as no source should.
  ///
  /// What is made by `create` emits too; the others, like the sources of the package, do not emit into
  /// a lifetime that is over.
  func endWildly(_ error: (any Error)? = nil) {
    let observers = observers
    if error == nil { state.withLock { $0.hasCompleted = true } }
    for observer in observers {
      observer.end(error)
      if isHandMade || !observer.lifetime.isDisposed { observer.next(99) }
      observer.end(nil)
      observer.end(TestError.other)
      if isHandMade || !observer.lifetime.isDisposed { observer.next(98) }
    }
  }
}

/// A row on stage: its sources in hand, its time by hand.
///
/// The script: the sources emit 1, then 2, then 3, the second one 11, 12, 13, the third 21, 22, 23,
/// ten seconds apart, and complete ten seconds later.
final class Stage: Sendable {
  let row: Row
  let probes: [Probe]
  let scheduler: TestScheduler
  let observable: Observable<Int>
  private let isAdvancing = Atomic(false)

  private init(
    _ row: Row,
    _ scheduler: TestScheduler,
    _ isHandMade: Bool,
    _ source: SourceMaker
  ) {
    self.row = row
    self.scheduler = scheduler
    let probes = (0..<row.sourceCount).map { _ in Probe(isHandMade: isHandMade) }
    self.probes = probes
    observable = row.build(probes.enumerated().map { source($1.observable, $0) }, scheduler)
  }

  /// Makes a source of what a probe emits and the probe's number.
  typealias SourceMaker = (Observable<Int>, Int) -> Observable<Int>

  /// Runs `body` with a new stage; drivers and signals take its time for the main queue's.
  ///
  /// - Parameters:
  ///   - isHandMade: whether its sources are made by `create`.
  ///   - source: makes the sources, out of what the probes emit.
  static func with(
    _ row: Row,
    isHandMade: Bool = false,
    source: SourceMaker = { source, _ in source },
    _ body: (Stage) -> Void
  ) {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    func run() { body(Stage(row, scheduler, isHandMade, source)) }
    if !row.traits.contains(.onMain) { return run() }
    SharingScheduler.mock(scheduler: scheduler, action: run)
  }

  /// What an observer hears while `body` runs.
  func heard(_ body: () -> Void) -> String {
    let log = Log<String>()
    let subscription = observable.write(to: log)
    settle()
    body()
    dispose(subscription)
    return log.text
  }

  /// The sources that are fed.
  var fed: some Sequence<(offset: Int, element: Probe)> {
    probes.prefix(row.traits.contains(.feedsFirst) ? 1 : .max).enumerated()
  }

  /// Sends `element`, and what goes with it, from every source.
  func feed(_ element: Int) {
    for (index, probe) in fed {
      probe.next(element + 10 * index)
      if row.traits.contains(.onMain) { settle() }
    }
  }

  /// Sends, and lets ten seconds pass.
  func round(_ element: Int) {
    feed(element)
    pass()
  }

  /// Lets run what is due now, like the subscription in `subscribe(on:)`.
  func settle() { advance(by: 0) }

  /// Disposes of `subscription`, and lets the sources be disposed of where that takes a turn.
  func dispose(_ subscription: any Disposable) {
    subscription.dispose()
    if row.traits.contains(.disposesInTurn) { settle() }
  }

  /// Lets ten seconds pass.
  func pass() { advance(by: 10) }

  /// Moves the clock, unless it is moving: an observer may send, and what it sends is due then.
  private func advance(by seconds: Int) {
    if isAdvancing.exchange(true, ordering: .relaxed) { return }
    scheduler.advanceTo(scheduler.clock + seconds)
    isAdvancing.store(false, ordering: .relaxed)
  }

  func rounds() { for element in 1...3 { round(element) } }

  func complete() {
    for probe in probes { probe.complete() }
    pass()
  }

  func play() {
    rounds()
    complete()
  }

  /// Whether everybody has let go of every source.
  var isLetGo: Bool { probes.allSatisfy(\.isLetGo) }
}

extension Log<String> {
  var text: String { entries.joined(separator: " ") }
  var terminals: Int { entries.count { $0 == "|" || $0 == "x" } }
  var hasEnded: Bool { entries.last == "|" || entries.last == "x" }
  /// Whether at most one terminal has come, and nothing after it.
  var keepsTheGrammar: Bool { terminals == (hasEnded ? 1 : 0) }
}
