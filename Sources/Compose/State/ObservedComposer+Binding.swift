#if canImport(SwiftUI)
import SwiftUI

extension ObservedComposer {
  /// A part of the state for a SwiftUI control, which changes it without an action.
  ///
  /// ```swift
  /// TextField("Name", text: model.binding(\.name))
  /// ```
  ///
  /// A value that the control sets is written in a step of its own, which is traced with the path as
  /// ``ComposerStep/change``; no reducer is called.
  ///
  /// - Parameter path: the part of the state.
  public func binding<Value: Sendable>(_ path: any WritableKeyPath<C.State, Value> & Sendable)
    -> Binding<Value>
  {
    Binding(get: { self[dynamicMember: path] }, set: { self.composer.set(path, to: $0) })
  }

  /// A part of the state for a SwiftUI control, which changes it by an action.
  ///
  /// ```swift
  /// TextField("Name", text: model.binding(\.name) { .nameChanged($0) })
  /// ```
  ///
  /// - Parameters:
  ///   - path: the part of the state.
  ///   - makeAction: returns the action for a value that the control sets.
  public func binding<Value>(
    _ path: KeyPath<C.State, Value>, _ makeAction: @escaping (Value) -> C.Action
  ) -> Binding<Value> {
    Binding(get: { self.state[keyPath: path] }, set: { self.send(makeAction($0)) })
  }
}
#endif
