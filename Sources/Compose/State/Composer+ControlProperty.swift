extension Composer {
  /// A part of the state that its user changes without an action, such as a field of a form.
  ///
  /// ```swift
  /// let name = composer.controlProperty(\.name)
  /// name.bind(to: nameField.rx.text).disposed(by: disposeBag)
  /// nameField.rx.text.orEmpty.changed.bind(to: name).disposed(by: disposeBag)
  /// ```
  ///
  /// It emits the current value and each one that differs from the previous one, on the main queue. A
  /// value that it receives is written in a step of its own, which is traced with the path as
  /// ``ComposerStep/change``: `\State.name`. No reducer is called. A computed property has no name at run
  /// time, unless it is one with ``PresentState`` or ``Shared``: the trace has its type, as in
  /// `\State.(Bool)`.
  ///
  /// - Parameter path: the part of the state.
  public func controlProperty<Value: Equatable & Sendable>(
    _ path: any WritableKeyPath<State, Value> & Sendable
  ) -> ControlProperty<Value> {
    let name = traceName(of: path, in: stateBox.value)
    return controlProperty(path) { [action] in action.write(path, $0, name) }
  }

  /// Writes a part of the state in a step without an action; does nothing before the composer is
  /// bound.
  func set<Value: Sendable>(
    _ path: any WritableKeyPath<State, Value> & Sendable, to value: Value
  ) { action.write(path, value, traceName(of: path, in: stateBox.value)) }

  /// A part of the state that its user may change by an action.
  ///
  /// It emits the current value and each one that differs from the previous one, on the main queue. A
  /// value that it receives is sent as the action that `makeAction` returns.
  ///
  /// - Parameters:
  ///   - path: the part of the state.
  ///   - makeAction: returns the action for a value that the user has set.
  public func controlProperty<Value: Equatable & Sendable>(
    _ path: any KeyPath<State, Value> & Sendable,
    _ makeAction: @escaping @Sendable (Value) -> Action
  ) -> ControlProperty<Value> {
    controlProperty(path) { [action] in action.accept(makeAction($0)) }
  }

  private func controlProperty<Value: Equatable & Sendable>(
    _ path: any KeyPath<State, Value> & Sendable, set: @escaping @Sendable (Value) -> Void
  ) -> ControlProperty<Value> {
    let box = stateBox
    if !box.isBound { box.handleUnboundRead() }
    let values = Driver(sharing: box.states.map { $0[keyPath: path] }.distinctUntilChanged())
      .asObservable()
    return ControlProperty(
      values: values, valueSink: AnyObserver { event in event.element.map(set) })
  }

  private var stateBox: StateBox<State> {
    guard let box = StateBoxLookup.box(of: self) else {
      preconditionFailure("Declare \(Self.self).state with @ComposableState.")
    }
    return box
  }
}

extension PublishRelay {
  /// Writes a part of the state of the composer that this relay is bound to.
  fileprivate func write<State: Sendable, Value: Sendable>(
    _ path: any WritableKeyPath<State, Value> & Sendable, _ value: Value, _ name: String
  ) where Element: Sendable {
    (attached as? TracedStore<State, Element>)?.perform(
      StateChange(name) { (state: inout State) in state[keyPath: path] = value })
  }
}
