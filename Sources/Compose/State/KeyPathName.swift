/// The name of a path in traces: `\State.settings.isLoud`.
///
/// Swift has no name for a computed property at run time. A property with ``PresentState`` or
/// ``Shared`` is found by a write to a copy of `state`; any other one is named by its type:
/// `\State.(Bool)`.
func traceName<State, Value>(
  of path: WritableKeyPath<State, Value>, in state: @autoclosure () -> State
) -> String {
  let text = "\(path)"
  guard text.contains("<computed 0x") else { return text.withoutAddresses }
  let old = state()
  var new = old
  new[keyPath: path] = old[keyPath: path]
  var walk = PathWalk(old: old, new: new)
  let components = text.withoutAddresses.split(separator: ".")
  let names = components.dropFirst().map { walk.enter($0) }
  return ([String(components[0])] + names).joined(separator: ".")
}

/// A property wrapper that shows a write of the same value.
protocol WriteMarking {
  /// Whether this wrapper was written since it was the `old` one.
  func isWritten(since old: Self) -> Bool
}

extension PresentState: WriteMarking {
  func isWritten(since old: Self) -> Bool { stamp != old.stamp }
}

extension Shared: WriteMarking {
  func isWritten(since old: Self) -> Bool { old.base == nil && base != nil }
}

/// The value of a property wrapper of the state; nil for another value.
package func wrappedValue(of value: Any) -> Any? {
  (value as? any WriteMarking).flatMap { Mirror(reflecting: $0).children.first?.value }
}

/// Follows the components of a path in a value, and in the value after a write by that path.
private struct PathWalk {
  /// The parts at the component that was entered last; nil when they are not known.
  var old: Any?, new: Any?

  /// Enters a component, `isLoud`, `(Bool)` or `(Optional<Row>)?`, and returns its name.
  mutating func enter(_ component: Substring) -> String {
    let end = component.lastIndex { $0 != "?" && $0 != "!" }
    let body = end.map { component[...$0] } ?? component
    let parts = zip(children(of: old), children(of: new))
    let found =
      body.hasPrefix("(")
      ? parts.filter { isWritten($1.value, since: $0.value) }
      : parts.filter { old, _ in old.label.map { $0 == body } ?? false }
    guard found.count == 1, let label = found[0].0.label else {
      (old, new) = (nil, nil)
      return String(component)
    }
    (old, new) = (found[0].0.value, found[0].1.value)
    // A wrapper's mirror has its value, and that of an optional its payload.
    let marks = component[body.endIndex...]
    let depth = marks.count + (body.hasPrefix("(") ? 1 : 0)
    for _ in 0..<depth {
      (old, new) = (children(of: old).first?.value, children(of: new).first?.value)
    }
    return (body.hasPrefix("(") ? String(label.drop { $0 == "_" }) : label) + marks
  }

  private func children(of value: Any?) -> [Mirror.Child] {
    value.map { Array(Mirror(reflecting: $0).children) } ?? []
  }

  private func isWritten(_ new: Any, since old: Any) -> Bool {
    func isWritten<Wrapper: WriteMarking>(_ new: Wrapper) -> Bool {
      (old as? Wrapper).map { new.isWritten(since: $0) } ?? false
    }
    return (new as? any WriteMarking).map { isWritten($0) } ?? false
  }
}
