/// The children of a composer, one for each id.
///
/// A child is created when it is first used, and ends when it is removed. Using and removing one of
/// them takes the same time for any number of children.
///
/// ```swift
/// let rows = Children { (id: Row.ID) in RowComposer(id) }
/// ```
public final class Children<ID: Hashable, Child: Composer> {
  /// A child, and what is known of it.
  struct Entry {
    let child: Child
    var place: Int
    /// The state effects of its last state, as effects of the parent; nil for none.
    var stateEffects: Any?
  }

  private(set) var all: [ID: Entry] = [:]
  /// The ids in the order in which the children were created, with nil in place of removed ones.
  ///
  /// A dictionary's order differs from run to run; this order does not.
  private var places: [ID?] = []
  private let make: (ID) -> Child
  /// What is known of the children whose states are in an ``IdentifiedArray``; nil until then.
  var asked: AskedChildren<ID>?

  /// An empty collection.
  ///
  /// - Parameter make: creates the child of an id.
  public init(_ make: @escaping (ID) -> Child) { self.make = make }

  /// The child of `id`; created when it does not exist.
  public subscript(id: ID) -> Child {
    if let present = all[id] { return present.child }
    let child = make(id)
    all[id] = Entry(child: child, place: places.count)
    places.append(id)
    asked?.unasked.append(id)
    return child
  }

  /// The ids of the existing children.
  public var ids: Set<ID> { Set(all.keys) }

  /// The ids in the order in which the children were created.
  var order: [ID] { places.compactMap { $0 } }

  /// Ends the child of `id` and its effects.
  public func remove(_ id: ID) {
    guard let removed = all.removeValue(forKey: id) else { return }
    asked?.unasked.append(id)
    places[removed.place] = nil
    // Half of the places are in use at least, so that a removal takes constant time on average.
    if places.count > 2 * all.count {
      places = order
      for (place, id) in order.enumerated() { all[id]?.place = place }
    }
    // Released after the change: the end of an effect may come back here.
    withExtendedLifetime(removed) {}
  }

  /// Ends the children for which `isWanted` returns false, and creates the missing children of
  /// `ids` in the order of their descriptions.
  func match(_ ids: some Collection<ID>, _ isWanted: (ID) -> Bool) {
    for id in order where !isWanted(id) { remove(id) }
    if ids.count == all.count { return }
    for id in ids.filter({ all[$0] == nil }).sorted(by: { "\($0)" < "\($1)" }) { _ = self[id] }
  }

  /// Stores the state effects of a child's new state; returns whether their ids have changed.
  func note<Action>(_ effects: [StateEffect<Action>], of id: ID) -> Bool {
    let before = all[id]?.stateEffects as? [StateEffect<Action>] ?? []
    all[id]?.stateEffects = effects.isEmpty ? nil : effects
    return !effects.elementsEqual(before) { $0.id == $1.id }
  }
}
