/// The children of a composer, one for each id.
///
/// A child is created when it is first used, and ends when it is removed.
///
/// ```swift
/// let rows = Children { (id: Row.ID) in RowComposer(id) }
/// ```
public final class Children<ID: Hashable, Child: Composer> {
  private var all: [ID: Child] = [:]
  /// The ids in the order in which the children were created.
  ///
  /// A dictionary's order differs from run to run; this order does not.
  private(set) var order: [ID] = []
  private let make: (ID) -> Child

  /// An empty collection.
  ///
  /// - Parameter make: creates the child of an id.
  public init(_ make: @escaping (ID) -> Child) { self.make = make }

  /// The child of `id`; created when it does not exist.
  public subscript(id: ID) -> Child {
    if let child = all[id] { return child }
    let child = make(id)
    all[id] = child
    order.append(id)
    return child
  }

  /// The ids of the existing children.
  public var ids: Set<ID> { Set(all.keys) }

  /// Ends the child of `id` and its effects.
  public func remove(_ id: ID) {
    guard all.removeValue(forKey: id) != nil, let index = order.firstIndex(of: id) else { return }
    order.remove(at: index)
  }

  /// Ends the children for which `isWanted` returns false, and creates the missing children of
  /// `ids` in the order of their descriptions.
  func match(_ ids: some Collection<ID>, _ isWanted: (ID) -> Bool) {
    for id in order where !isWanted(id) { remove(id) }
    if ids.count == order.count { return }
    for id in ids.filter({ all[$0] == nil }).sorted(by: { "\($0)" < "\($1)" }) { _ = self[id] }
  }
}
