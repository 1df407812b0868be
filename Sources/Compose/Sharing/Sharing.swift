/// Keeps a ``Shared`` part of a composer's state equal to a ``SharedValue``.
///
/// Declare it with `let` as a property of its own; the composer finds it among its properties, as it
/// finds its children. Not found, lazy or inside another value, it shares nothing.
///
/// - A composer begins with the shared value.
/// - A step that writes the part writes the shared value, before the state is published.
/// - When others have written, the composer makes a step without an action before its next one. Its
///   ``ComposerStep/change`` is `shared` with the type of the value, and its source is
///   ``ActionSource/shared(by:step:)``, the writer and the writer's step. Several writes may be one
///   step.
///
/// A child begins with the shared value too, in the step in which its state appears. What a child writes
/// is shared even if the same step removes it.
public final class Sharing<State: Sendable> {
  let part: SharedPart<State>
  // Held here, because a store holds the declarations of its composer weakly.
  private var declaration: AnyObject?

  /// Shares a part of the state.
  ///
  /// - Parameters:
  ///   - path: wrapper of the part: `\.$favorites`.
  ///   - shared: value that this composer shares with others.
  public init<Value>(
    _ path: any WritableKeyPath<State, Shared<Value>> & Sendable, _ shared: SharedValue<Value>
  ) { part = SharedPartOf(path, shared) }

  /// The part among the children of the composer, which updates it like them after each step.
  func declaration<Action>(of action: Action.Type) -> ChildDeclaration<State, Action> {
    let declaration = SharedPartDeclaration<State, Action>(part)
    self.declaration = declaration
    return declaration
  }
}

/// Returns the shared parts among the declarations of a composer; nil for none.
///
/// Of several declarations of one part the first one counts.
@usableFromInline func findSharedParts<State, Action>(
  among children: [ChildDeclaration<State, Action>]
)
  -> [SharedPart<State>]?
{
  var parts: [SharedPart<State>] = []
  for case let declaration as SharedPartDeclaration<State, Action> in children {
    declaration.isIgnored = parts.contains { $0.path == declaration.part.path }
    if declaration.isIgnored {
      ComposeHooks.report(.sharedTwice(part: "\(declaration.part.path)"))
    } else {
      parts.append(declaration.part)
    }
  }
  return parts.isEmpty ? nil : parts
}

/// A shared part of a composer's state.
///
/// Accessed only where the composer reduces.
@usableFromInline class SharedPart<State: Sendable> {
  /// The path of the part.
  let path: AnyKeyPath
  fileprivate(set) var subscription: SharedSubscription?

  fileprivate init(_ path: AnyKeyPath) { self.path = path }

  /// Whether the part of a state has not been this composer's.
  @usableFromInline func mustAdopt(_ state: State) -> Bool { false }

  /// Sets a part of a state that has not been this composer's to the shared value.
  @usableFromInline func adopt(_ state: inout State) {}

  /// Sets the part to that of a recorded state.
  @usableFromInline func adopt(_ state: inout State, from recorded: State) {}

  /// Writes what `state` has written to the shared value.
  @usableFromInline func commit(_ state: inout State, in store: StoreCore) {}

  /// Whether a published state has a part that is neither shared nor the shared value.
  func differs(_ state: State) -> Bool { false }

  /// The effects that make the part equal to the shared value, each before the next step after others
  /// have written.
  func changes<Action>(in store: StoreCore) -> Observable<Effect<Action>> { .empty() }
}

private final class SharedPartOf<State: Sendable, Value: Equatable & Sendable>: SharedPart<State> {
  private let part: any WritableKeyPath<State, Shared<Value>> & Sendable
  /// Replaced by its copy before it is used, in a composer with ``SharedValueCopies``.
  private var shared: SharedValue<Value>
  /// The version that the state had after the last commit or change; nil before the first.
  private var version: Int?
  /// The version of a value that the state has not taken over, as a computed path may.
  private var refusedVersion: Int?
  private var mustChange = false

  init(_ part: any WritableKeyPath<State, Shared<Value>> & Sendable, _ shared: SharedValue<Value>) {
    (self.part, self.shared) = (part, shared)
    super.init(part)
  }

  override func mustAdopt(_ state: State) -> Bool {
    version == nil || state[keyPath: part].version == nil
  }

  override func adopt(_ state: inout State, from recorded: State) {
    adopt(&state)
    state[keyPath: part].replace(with: recorded[keyPath: part].value)
  }

  override func adopt(_ state: inout State) {
    let stored = state[keyPath: part]
    guard stored.version == nil || version == nil else { return }
    if version == nil, let copies = Dependencies.current[SharedValueCopies.self] {
      shared = copies.copy(of: shared, for: stored)
    }
    let current = shared.current
    state[keyPath: part].replace(with: current)
    version = current.version
  }

  override func commit(_ state: inout State, in store: StoreCore) {
    let written = state[keyPath: part]
    // The state was created anew.
    guard let seen = written.version else { return adopt(&state) }
    guard let base = written.base, version != nil else { return }
    // An old state that is set again, and then its part, is a write of the old value.
    if written.value == base, !written.isAssigned || seen == shared.current.version {
      return state[keyPath: part].dropWrite()
    }
    let writer = SharedValueWriter(name: store.name, step: store.stepNumber)
    let change = shared.commit(written.value, over: base, seen, by: writer, from: subscription)
    state[keyPath: part].replace(with: change)
    version = change.version
    store.sharedInbox.deliverAfterStep { [shared] in shared.deliver() }
  }

  override func differs(_ state: State) -> Bool {
    let stored = state[keyPath: part]
    let current = shared.current
    mustChange =
      stored.base != nil
      // Compared by its value too: a computed path may not store the version.
      || stored.version != current.version && stored.value != current.value
        && refusedVersion != current.version
    return mustChange
  }

  override func changes<Action>(in store: StoreCore) -> Observable<Effect<Action>> {
    Observable { down in
      // Called where the composer reduces, which alone accesses this part.
      nonisolated(unsafe) let this = self
      nonisolated(unsafe) let emit = { [weak store] in
        if let store { down.next(this.change(in: store)) }
      }
      let subscription = SharedSubscription(store) { emit() }
      this.subscription = subscription
      let shared = this.shared
      shared.add(subscription)
      down.lifetime.add(
        ActionDisposable {
          shared.remove(subscription)
          this.subscription = nil
        })
    }
  }

  /// The effect that makes the part equal to the shared value.
  private func change<Action>(in store: StoreCore) -> Effect<Action> {
    nonisolated(unsafe) let this = self
    let current = shared.current
    let writer = current.version == version ? nil : current.writer
    let change = StateChange("shared \(Value.self)", source: writer?.source) {
      [weak store] (state: inout State) in
      if let store { this.commit(&state, in: store) }
      this.replace(&state)
    }
    return .guarded(
      GuardedEffect(.change(change)) {
        this.mustChange || this.version != this.shared.current.version
      })
  }

  private func replace(_ state: inout State) {
    let current = shared.current
    if state[keyPath: part].version != current.version || state[keyPath: part].base != nil {
      state[keyPath: part].replace(with: current)
    }
    if state[keyPath: part].value != current.value { refusedVersion = current.version }
    version = current.version
    mustChange = false
  }
}
