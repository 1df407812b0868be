#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The program as the inspector knows it: its composers and their events.
final class InspectedProgram: StoreBindings.Observer {
  let log: EventLog
  let reader: EventReader
  /// Whether clients may act.
  let canAct: Bool
  let started: Date

  /// The stores that are observed, so that each is observed once.
  private struct ObservedStores {
    struct Weak { weak var store: StoreCore? }

    private var stores: [ObjectIdentifier: Weak] = [:]
    private var sweepCount = 100

    /// Adds a store; returns false for one that is observed already.
    ///
    /// - Parameter seen: receives the other stores that exist, which the caller releases outside the lock:
    ///   the last reference to one may be here.
    mutating func insert(_ store: StoreCore, seen: inout [StoreCore]) -> Bool {
      if let known = stores[ObjectIdentifier(store)]?.store, known === store { return false }
      if stores.count >= sweepCount {
        stores = stores.filter { _, reference in
          guard let store = reference.store else { return false }
          seen.append(store)
          return true
        }
        sweepCount = stores.count * 2 + 100
      }
      stores[ObjectIdentifier(store)] = Weak(store: store)
      return true
    }
  }

  private let stores = Locked(ObservedStores())

  init(_ configuration: InspectorConfiguration) {
    log = EventLog(byteLimit: configuration.byteLimit)
    reader = EventReader(log: log, values: ValueReader(redaction: configuration.redaction))
    canAct = configuration.canAct
    started = configuration.scheduler.now
  }

  func storeBound<State, Action>(_ store: TracedStore<State, Action>) {
    var seen: [StoreCore] = []
    let isNew = stores.withLock { $0.insert(store, seen: &seen) }
    withExtendedLifetime(seen) {}
    guard isNew else { return }
    log.addComposer { TypedComposerRecord(store, number: $0, in: log) }.start()
  }

  /// Ends the recording.
  func stop() {
    for composer in log.composers { composer.stop() }
  }
}
