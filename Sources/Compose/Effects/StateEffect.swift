/// An effect that runs while the state holds; ``Composer/stateEffects(_:)`` returns it.
///
/// ```swift
/// func stateEffects(_ state: State) -> [StateEffect<Action>] {
///   if let room = state.room {
///     StateEffect(id: room) { .socket(WebSocket(room.url)) { .received($0) } }
///   }
///   if state.isShown {
///     StateEffect(id: "poll") { .interval(.send(.poll), period: .seconds(5)) }
///   }
/// }
/// ```
///
/// While its id stays the same, the running effect continues. Put every value that the effect
/// depends on into the id.
public struct StateEffect<Action: Sendable> {
  // `init` requires the id to be Sendable.
  @usableFromInline let id: AnyHashable
  /// Creates the effect.
  let make: () -> Observable<Effect<Action>>
  /// Whether the effect has a number and is in the trace.
  let isTraced: Bool

  /// A state effect.
  ///
  /// - Parameters:
  ///   - id: identity of the effect among the composer's state effects.
  ///   - effect: creates the effect; called when the effect starts.
  public init(id: some Hashable & Sendable, _ effect: @escaping () -> Observable<Effect<Action>>) {
    self.init(declaredID: AnyHashable(id), effect)
  }

  init(
    declaredID id: AnyHashable, isTraced: Bool = true,
    _ make: @escaping () -> Observable<Effect<Action>>
  ) { (self.id, self.isTraced, self.make) = (id, isTraced, make) }
}

/// The state effects of one composer that are declared, and those of them that run.
///
/// Accessed only where the composer reduces, between two steps.
@usableFromInline final class RunningStateEffects {
  /// The ids of the last list, in its order.
  @usableFromInline private(set) var ids: [AnyHashable] = []
  /// The lifetimes of the effects that were started; an effect that has ended by itself stays until
  /// its id disappears.
  private var lifetimes: [AnyHashable: Lifetime] = [:]

  @usableFromInline init() {}

  /// Ends the effects that are not in `wanted`, and starts the new ones, in their order.
  @inlinable func update<Action>(
    _ wanted: [StateEffect<Action>], _ start: (StateEffect<Action>) -> Lifetime
  ) {
    var length = 0
    while length < wanted.count, length < ids.count, wanted[length].id == ids[length] {
      length += 1
    }
    if length < wanted.count || length < ids.count { change(to: wanted, start) }
  }

  @usableFromInline func change<Action>(
    to wanted: [StateEffect<Action>], _ start: (StateEffect<Action>) -> Lifetime
  ) {
    let before = ids
    ids = wanted.map(\.id)
    let wantedIDs = Set(ids)
    if wantedIDs.count < ids.count { reportTakenID() }
    for id in before where !wantedIDs.contains(id) { lifetimes.removeValue(forKey: id)?.dispose() }
    for effect in wanted where lifetimes[effect.id] == nil {
      lifetimes[effect.id] = start(effect)
    }
  }

  private func reportTakenID() {
    var known: Set<AnyHashable> = []
    guard let id = ids.first(where: { !known.insert($0).inserted }) else { return }
    let text = "\(id)"
    ComposeHooks.reportAfterStep { .stateEffectIDIsTaken(id: text) }
  }

  /// Ends all effects, in the order of their list.
  @usableFromInline func end() {
    let (ids, lifetimes) = (ids, lifetimes)
    (self.ids, self.lifetimes) = ([], [:])
    for id in ids { lifetimes[id]?.dispose() }
  }
}
