import Observation

/// Owns a composer on the main actor and lets its state be observed property by property.
///
/// ```swift
/// @State var model = ObservedComposer(CounterComposer())
///
/// Text("\(model.count)")
/// Button("+") { model.send(.increment) }
/// ```
///
/// What reads a property inside `withObservationTracking`, as a SwiftUI view does, hears when a step
/// changes that property, and of no other step. Values that are not Equatable count as changed by every
/// step. When the change is told the model still has the old state, as the Observation framework has it.
///
/// One-shot values and streams come from the composer itself: `model.composer.$state.present(\.$alert)`.
/// Releasing the model releases the composer and ends its effects.
@MainActor @dynamicMemberLookup
public final class ObservedComposer<C: Composer>: Observation.Observable {
  /// The composer, bound to the main actor.
  public let composer: C
  private let box: StateBox<C.State>
  private let registrar = ObservationRegistrar()
  private let disposeBag = DisposeBag()
  private var current: C.State
  // What was read since it last changed: given the next state, tells that it will change, and returns
  // what tells that it did.
  private var readings: [AnyKeyPath: (C.State) -> (() -> Void)?] = [:]

  /// Takes over `composer` and binds it to the main actor.
  ///
  /// Its `state` must be declared with `@ComposableState`: anything else is a programmer's error and
  /// traps.
  public init(_ composer: C) {
    guard let box = StateSearch.box(of: composer) else {
      preconditionFailure("Declare \(C.self).state with @ComposableState.")
    }
    (self.composer, self.box, current) = (composer, box, box.value)
    Store.bind(composer, to: .main)
    // At once when a step runs here, inside of another observer too; the newest state in any case.
    let update = Binder<C.State>(self, scheduler: ConcurrentMainScheduler.instance) { model, _ in
      model.update()
    }
    box.states.bind(to: update).disposed(by: disposeBag)
  }

  /// Sends `action`: it is reduced before this returns, unless a step is running.
  public func send(_ action: C.Action) { composer.action.accept(action) }

  /// The state as a whole.
  public var state: C.State { self[dynamicMember: \.self] }

  /// A property of the state.
  public subscript<Value>(dynamicMember keyPath: KeyPath<C.State, Value>) -> Value {
    let path = (\ObservedComposer.current).appending(path: keyPath)
    registrar.access(self, keyPath: path)
    if readings[path] == nil {
      readings[path] = { [unowned self] next in
        if areEqual(current[keyPath: keyPath], next[keyPath: keyPath]) { return nil }
        // Who wants to hear of more changes reads it again.
        readings[path] = nil
        registrar.willSet(self, keyPath: path)
        return { [unowned self] in registrar.didSet(self, keyPath: path) }
      }
    }
    return current[keyPath: keyPath]
  }

  private func update() {
    let next = box.value
    let tellings = readings.values.compactMap { $0(next) }
    current = box.value
    for didChange in tellings { didChange() }
  }
}
