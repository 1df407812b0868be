extension ObserverHub {
  /// Adds an observer as ``add(_:)`` does, and keeps `owner` alive until it has left.
  package func add(_ down: Observer<Element>, keeping owner: AnyObject & Sendable) -> Bool {
    let node = OwnedHubNode(self, down, keeping: owner)
    guard insert(node) else { return false }
    down.lifetime.add(node)
    return true
  }
}

/// An observer that keeps an object alive.
private final class OwnedHubNode<Element>: HubNode<Element>, @unchecked Sendable {
  // Immutable.
  private let owner: AnyObject & Sendable

  init(_ hub: HubCore, _ down: Observer<Element>, keeping owner: AnyObject & Sendable) {
    self.owner = owner
    super.init(hub, down)
  }
}
