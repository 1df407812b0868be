import Reactive
import ReactiveTesting
import Synchronization
import TestSupport

/// A source that the test controls: counts subscriptions and disposals, and can violate the event
/// grammar.
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
  private let isMadeByCreate: Bool
  let observable: Observable<Int>

  /// - Parameter isMadeByCreate: whether `Observable.create` makes it, without access to lifetimes.
  init(isMadeByCreate: Bool = false) {
    self.isMadeByCreate = isMadeByCreate
    let state = Locked(State())
    self.state = state
    @Sendable func register(_ down: Observer<Int>) -> ActionDisposable {
      let id = state.withLock { $0.add(down) }
      if state.withLock({ $0.hasCompleted }) { down.end(nil) }
      // Releases the closures of the observer outside the lock.
      return ActionDisposable { withExtendedLifetime(state.withLock { $0.remove(id) }) {} }
    }
    if isMadeByCreate {
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

  /// Whether every subscription was disposed of once.
  var isDisposedOf: Bool {
    state.withLock { $0.observers.isEmpty && $0.disposals == $0.subscriptions }
  }

  private var observers: [Observer<Int>] { state.withLock { $0.observers.map(\.observer) } }

  func next(_ element: Int) {
    for observer in observers where !observer.lifetime.isDisposed { observer.next(element) }
  }

  /// Completes current and later observers.
  func complete() {
    let observers = observers
    state.withLock { $0.hasCompleted = true }
    for observer in observers where !observer.lifetime.isDisposed { observer.end(nil) }
  }

  /// Fails current observers; a later observer starts again.
  func fail(_ error: any Error = TestError.any) {
    for observer in observers where !observer.lifetime.isDisposed { observer.end(error) }
  }

  /// Ends, and sends events after the end, which violates the event grammar.
  ///
  /// A probe made by `create` also emits elements. The others, like the sources of the package, do
  /// not emit to an observer whose lifetime has ended.
  func endRepeatedly(_ error: (any Error)? = nil) {
    let observers = observers
    if error == nil { state.withLock { $0.hasCompleted = true } }
    for observer in observers {
      observer.end(error)
      if isMadeByCreate || !observer.lifetime.isDisposed { observer.next(99) }
      observer.end(nil)
      observer.end(TestError.other)
      if isMadeByCreate || !observer.lifetime.isDisposed { observer.next(98) }
    }
  }
}

/// Runs the operator of a row with controlled sources in virtual time.
///
/// The script: the sources emit 1, then 2, then 3, the second one 11, 12, 13, the third 21, 22, 23,
/// ten seconds apart, and complete ten seconds later.
final class OperatorHarness: Sendable {
  let row: Row
  let probes: [Probe]
  let scheduler: TestScheduler
  let observable: Observable<Int>
  private let isAdvancing = Atomic(false)

  private init(
    _ row: Row,
    _ scheduler: TestScheduler,
    _ isMadeByCreate: Bool,
    _ source: SourceMaker
  ) {
    self.row = row
    self.scheduler = scheduler
    let probes = (0..<row.sourceCount).map { _ in Probe(isMadeByCreate: isMadeByCreate) }
    self.probes = probes
    observable = row.build(probes.enumerated().map { source($1.observable, $0) }, scheduler)
  }

  /// Makes a source from the observable and the index of a probe.
  typealias SourceMaker = (Observable<Int>, Int) -> Observable<Int>

  /// Runs `body` with a new harness; drivers and signals use its scheduler instead of the main queue.
  ///
  /// - Parameters:
  ///   - isMadeByCreate: whether `Observable.create` makes its sources.
  ///   - source: makes the sources from the probes' observables.
  static func with(
    _ row: Row,
    isMadeByCreate: Bool = false,
    source: SourceMaker = { source, _ in source },
    _ body: (OperatorHarness) -> Void
  ) {
    let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
    func run() { body(OperatorHarness(row, scheduler, isMadeByCreate, source)) }
    if !row.traits.contains(.onMain) { return run() }
    SharingScheduler.mock(scheduler: scheduler, action: run)
  }

  /// Returns the events that an observer receives while `body` runs.
  func received(_ body: () -> Void) -> String {
    let log = EventRecorder<String>()
    let subscription = observable.record(in: log)
    settle()
    body()
    dispose(subscription)
    return log.text
  }

  /// The sources that ``feed(_:)`` sends to.
  var fed: some Sequence<(offset: Int, element: Probe)> {
    probes.prefix(row.traits.contains(.feedsFirst) ? 1 : .max).enumerated()
  }

  /// Sends `element` from the first source, `element + 10` from the second, and so on.
  func feed(_ element: Int) {
    for (index, probe) in fed {
      probe.next(element + 10 * index)
      if row.traits.contains(.onMain) { settle() }
    }
  }

  /// Sends an element from every source, then advances the time by ten seconds.
  func round(_ element: Int) {
    feed(element)
    pass()
  }

  /// Runs due work, like the subscription in `subscribe(on:)`.
  func settle() { advance(by: 0) }

  /// Disposes of `subscription`, and runs disposals of sources that are scheduled.
  func dispose(_ subscription: any Disposable) {
    subscription.dispose()
    if row.traits.contains(.disposesInTurn) { settle() }
  }

  /// Advances the time by ten seconds.
  func pass() { advance(by: 10) }

  /// Moves the clock unless it is already moving, which happens when an observer sends.
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

  /// Whether every subscription to every source was disposed of once.
  var isDisposedOf: Bool { probes.allSatisfy(\.isDisposedOf) }
}

extension EventRecorder<String> {
  var text: String { events.joined(separator: " ") }
  var terminals: Int { events.count { $0 == "|" || $0 == "x" } }
  var hasEnded: Bool { events.last == "|" || events.last == "x" }
  /// Whether there is at most one terminal event and no event after it.
  var keepsTheGrammar: Bool { terminals == (hasEnded ? 1 : 0) }
}
