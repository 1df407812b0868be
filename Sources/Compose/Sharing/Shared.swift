/// A part of a composer's state that other composers share.
///
/// ```swift
/// struct State { var favorites: Set<Book.ID> = [] }
/// @ComposableState var state = State()
/// let favorites: Shared<State, Set<Book.ID>>
///
/// init(_ favorites: SharedValue<Set<Book.ID>>) {
///   self.favorites = Shared(\.favorites, favorites)
/// }
/// ```
///
/// The part is a plain value: the reducer reads and changes it like the rest of the state. Declare
/// `Shared` with `let`; the composer finds it among its properties, as it finds its children.
///
/// - The composer begins with the shared value, in place of the one in its first state. A child of
///   which the parent creates the state does so with the first action that it reduces, otherwise in
///   a step after that in which its state appeared.
/// - A step that changes the part writes it to the ``SharedValue`` after the state was published.
/// - When another composer has written, this one makes a step without an action. Its
///   ``ComposerStep/change`` is the path of the part (`\State.favorites`), and its source is
///   ``ActionSource/shared(by:step:)``, the writer and the writer's step.
///
/// When others write faster than this composer makes steps, it may skip to the newest value.
public final class Shared<State: Sendable, Value: Equatable & Sendable>: SharedDeclaration<State> {
  /// A value of ``SharedValue`` as this composer knows it.
  private struct Known {
    var value: Value
    /// The newest version that this composer has seen; -1 for none.
    var version: Int
  }

  private let path: any WritableKeyPath<State, Value> & Sendable
  private let shared: SharedValue<Value>
  private var known: Known?

  /// A part of the state that is kept equal to `shared`.
  ///
  /// - Parameters:
  ///   - path: part of the state.
  ///   - shared: value that this composer shares with others.
  public init(
    _ path: any WritableKeyPath<State, Value> & Sendable, _ shared: SharedValue<Value>
  ) { (self.path, self.shared) = (path, shared) }

  override func adopt(_ state: inout State) {
    if known != nil { return }
    let current = shared.current
    state[keyPath: path] = current.value
    known = Known(value: current.value, version: current.version)
  }

  override func publish(_ state: State, by writer: () -> SharedValueWriter) {
    let value = state[keyPath: path]
    guard let known else { return self.known = Known(value: value, version: -1) }
    if value == known.value { return }
    let change = shared.commit(
      value, over: known.value, seen: known.version, by: writer(), of: ObjectIdentifier(self))
    // A merged value arrives here as a change, which is newer than this version.
    self.known = Known(value: value, version: change.isMerged ? change.version - 1 : change.version)
    shared.deliver(change)
  }

  override func changes<Action>(of action: Action.Type) -> Observable<Effect<Action>> {
    // Accessed where the composer reduces: in its steps, and in the closures of these effects.
    nonisolated(unsafe) let this = self
    let id = ObjectIdentifier(self)
    return shared.changes.compactMap { change in
      if change.author == id, !change.isMerged { return nil }
      let step = StateChange("\(this.path)", source: change.writer.source) { (state: inout State) in
        this.apply(change, to: &state)
      }
      return .guarded(GuardedEffect(.change(step)) { this.isNews(change) })
    }
  }

  /// Whether `change` is newer than what the composer knows, and another value.
  private func isNews(_ change: SharedChange<Value>) -> Bool {
    guard let known, change.version > known.version else { return false }
    if change.value != known.value { return true }
    self.known?.version = change.version
    return false
  }

  private func apply(_ change: SharedChange<Value>, to state: inout State) {
    known = Known(value: change.value, version: change.version)
    state[keyPath: path] = change.value
  }
}
