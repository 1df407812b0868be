import Observation

/// Owns a composer on the main actor and makes each property of its state observable.
///
/// ```swift
/// @State var model = ObservedComposer(CounterComposer())
///
/// Text("\(model.count)")
/// Button("+") { model.send(.increment) }
/// ```
///
/// Code that reads a property inside `withObservationTracking`, as a SwiftUI view does, is notified
/// by the next step that changes that property, and by no other step. A property that is not
/// Equatable counts as changed by every step. At the notification the model still has the old
/// state, as the Observation framework defines.
///
/// One-shot values and streams are read from the composer:
/// `model.composer.$state.present(\.$alert)`. Releasing the model releases the composer and ends
/// its effects.
@MainActor @dynamicMemberLookup
public final class ObservedComposer<C: Composer>: Observation.Observable {
  /// The composer, bound to the main actor.
  public let composer: C
  private let box: StateBox<C.State>
  private let registrar = ObservationRegistrar()
  private let disposeBag = DisposeBag()
  private var current: C.State
  // One entry for each property that was read since it last changed. Called with the next state, it
  // announces a change with `willSet` and returns a closure for `didSet`; it returns nil without a
  // change.
  private var observedProperties: [AnyKeyPath: (C.State) -> (() -> Void)?] = [:]

  /// Takes ownership of `composer` and binds it to the main actor.
  ///
  /// Traps unless the composer's `state` is declared with `@ComposableState`.
  public convenience init(_ composer: C) { self.init(composer, in: nil) }

  /// Injects dependencies into `composer`, takes ownership of it and binds it to the main actor.
  ///
  /// ```swift
  /// let model = ObservedComposer(LibraryComposer()) { $0.library = .production }
  /// ```
  ///
  /// Traps unless the composer's `state` is declared with `@ComposableState`.
  ///
  /// - Parameters:
  ///   - composer: composer that is created in this call, so that its `init` finds the dependencies.
  ///   - change: changes the dependencies, which are those that are current here.
  public convenience init(
    _ composer: @autoclosure () -> C, _ change: (inout Dependencies) -> Void
  ) {
    let (created, context) = Dependencies.with(change) { (composer(), EffectContext.current) }
    self.init(created, in: context)
  }

  private init(_ composer: C, in context: EffectContext?) {
    guard let box = StateBoxLookup.box(of: composer) else {
      preconditionFailure("Declare \(C.self).state with @ComposableState.")
    }
    self.composer = composer
    self.box = box
    current = box.value
    if let context {
      context.run { Store.bind(composer, to: .main) }
    } else {
      Store.bind(composer, to: .main)
    }
    // A step on the main thread updates the model at once, even inside another observer. `update()`
    // reads the newest state.
    let update = Binder<C.State>(self, scheduler: ConcurrentMainScheduler.instance) { model, _ in
      model.update()
    }
    box.states.bind(to: update).disposed(by: disposeBag)
  }

  /// Sends `action`.
  ///
  /// It is reduced before this returns, unless a step is running.
  public func send(_ action: C.Action) { composer.action.accept(action) }

  /// The whole state.
  public var state: C.State { self[dynamicMember: \.self] }

  /// A property of the state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<C.State, Value>) -> Value {
    let path = (\ObservedComposer.current).appending(path: keyPath)
    registrar.access(self, keyPath: path)
    if observedProperties[path] == nil {
      observedProperties[path] = { [unowned self] next in
        if areEqual(current[keyPath: keyPath], next[keyPath: keyPath]) { return nil }
        // An observer that waits for further changes reads the property again.
        observedProperties[path] = nil
        registrar.willSet(self, keyPath: path)
        return { [unowned self] in registrar.didSet(self, keyPath: path) }
      }
    }
    return current[keyPath: keyPath]
  }

  private func update() {
    let next = box.value
    let didSetCalls = observedProperties.values.compactMap { $0(next) }
    current = box.value
    for didSet in didSetCalls { didSet() }
  }
}
