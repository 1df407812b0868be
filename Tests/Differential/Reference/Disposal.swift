/// A disposable that disposes once of its members, in the order of insertion.
package final class Disposal {
  package private(set) var isDisposed = false
  private var held: [Disposal] = []
  private var action: (() -> Void)?

  package init(_ action: (() -> Void)? = nil) { self.action = action }

  package init(_ held: [Disposal]) { self.held = held }

  /// Adds `other`, or disposes of it at once.
  package func add(_ other: Disposal) {
    if isDisposed { other.dispose() } else { held.append(other) }
  }

  /// Disposes of the members, and replaces them by `other`.
  package func replace(with other: Disposal) {
    let before = held
    held = []
    for disposal in before { disposal.dispose() }
    add(other)
  }

  package func dispose() {
    if isDisposed { return }
    isDisposed = true
    for disposal in held { disposal.dispose() }
    held = []
    action?()
    action = nil
  }
}
