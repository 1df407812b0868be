/// Which states of children were asked for their state effects, and what was found.
final class AskedChildren<ID: Hashable> {
  /// The states of one chunk.
  struct Chunk {
    var ids: ContiguousArray<ID> = []
    /// The versions of the states; nil for a state that must be asked again.
    var versions: ContiguousArray<ElementVersion?> = []
    var hasEffects: ContiguousArray<Bool> = []
    /// Identifies the effects: another object when any of their ids has changed.
    var group = GroupIdentity()
  }

  /// The version of each chunk by its number; nil for a chunk that must be asked again.
  var chunkVersions: ContiguousArray<ElementVersion?> = []
  var chunks: ContiguousArray<Chunk?> = []
  /// The children that were created or removed in another way since the last call.
  var unasked: [ID] = []
  /// The effects of all children, one group for each chunk that has any.
  var listed: Any?
  /// The number of `chunks` that are not nil.
  var count = 0

  /// Forgets the chunks that are not in use any more, and returns their ids.
  func removeAll(unless numbers: Set<Int>) -> [ID] {
    var ids: [ID] = []
    for number in chunks.indices where !numbers.contains(number) {
      guard let chunk = chunks[number].take() else { continue }
      chunkVersions[number] = nil
      count -= 1
      ids += chunk.ids
    }
    return ids
  }
}

/// The identity of a group of state effects.
final class GroupIdentity: Hashable, Sendable {
  static func == (first: GroupIdentity, second: GroupIdentity) -> Bool { first === second }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Children where Child.State: Identifiable, ID == Child.State.ID {
  /// Returns the state effects of all children, in the order of `states`.
  ///
  /// Only the states that have changed since the last call are asked. Children without a state end.
  ///
  /// - Parameter effects: returns the effects of a child with this state
  func stateEffects<Action>(
    of states: IdentifiedArray<Child.State>,
    _ effects: (Child, Child.State) -> [StateEffect<Action>]
  ) -> [StateEffect<Action>] {
    let asked = self.asked ?? AskedChildren<ID>()
    self.asked = asked
    noteUnasked(asked, states)
    var isChanged = asked.listed == nil
    var missing: [ID] = []
    for (index, stamp) in states.stamps.enumerated() {
      while asked.chunks.count <= stamp.number {
        asked.chunks.append(nil)
        asked.chunkVersions.append(nil)
      }
      if asked.chunkVersions[stamp.number] == stamp.version { continue }
      isChanged = true
      if asked.chunks[stamp.number] == nil { asked.count += 1 }
      var chunk = asked.chunks[stamp.number].take() ?? AskedChildren.Chunk()
      ask(states.chunks[index], &chunk, &missing, effects)
      asked.chunks[stamp.number] = chunk
      asked.chunkVersions[stamp.number] = stamp.version
    }
    if asked.count > states.stamps.count {
      isChanged = true
      missing += asked.removeAll(unless: Set(states.stamps.map(\.number)))
    }
    for id in missing where !states.contains(id: id) { remove(id) }
    asked.unasked = []
    guard !isChanged, let listed = asked.listed as? [StateEffect<Action>] else {
      return list(states, asked)
    }
    return listed
  }

  /// Lets the children be asked again that were removed although they have a state, and ends those
  /// that were created although they have none.
  private func noteUnasked(_ asked: AskedChildren<ID>, _ states: IdentifiedArray<Child.State>) {
    for id in asked.unasked {
      guard let place = states.place(of: id) else {
        remove(id)
        continue
      }
      let number = states.stamps[place.chunk].number
      guard number < asked.chunks.count else { continue }
      asked.chunkVersions[number] = nil
      if let offset = asked.chunks[number]?.ids.firstIndex(of: id) {
        asked.chunks[number]?.versions[offset] = nil
        asked.chunks[number]?.group = GroupIdentity()
      }
    }
  }

  /// Asks the changed states of a chunk, and adds the ids that are not in the chunk any more to
  /// `missing`.
  private func ask<Action>(
    _ states: IdentifiedArray<Child.State>.Chunk, _ chunk: inout AskedChildren<ID>.Chunk,
    _ missing: inout [ID], _ effects: (Child, Child.State) -> [StateEffect<Action>]
  ) {
    // Most often one state was changed, added or removed: what is before and after it is the same.
    let length = min(chunk.versions.count, states.versions.count)
    var (start, end) = (0, 0)
    while start < length, chunk.versions[start] == states.versions[start] { start += 1 }
    while start + end < length,
      chunk.versions[chunk.versions.count - 1 - end]
        == states.versions[states.versions.count - 1 - end]
    { end += 1 }
    let changed = start..<(chunk.versions.count - end)
    let (oldIDs, oldVersions) = (Array(chunk.ids[changed]), Array(chunk.versions[changed]))
    let oldHasEffects = Array(chunk.hasEffects[changed])
    var (ids, hasEffects) = ([ID](), [Bool]())
    var areSame = true
    var next = 0
    for offset in start..<(states.versions.count - end) {
      guard let state = states.elements[offset] else { continue }
      if let same = oldVersions[next...].firstIndex(of: states.versions[offset]) {
        areSame = areSame && same == next
        missing += oldIDs[next..<same]
        next = same + 1
        ids.append(oldIDs[same])
        hasEffects.append(oldHasEffects[same])
        continue
      }
      let id = state.id
      let found = effects(self[id], state)
      if note(found, of: id) { areSame = false }
      if next < oldIDs.count, oldIDs[next] == id { next += 1 }
      ids.append(id)
      hasEffects.append(!found.isEmpty)
    }
    missing += oldIDs[next...]
    if next < oldIDs.count || ids.count != oldIDs.count { areSame = false }
    if !areSame { chunk.group = GroupIdentity() }
    chunk.ids.replaceSubrange(changed, with: ids)
    chunk.hasEffects.replaceSubrange(changed, with: hasEffects)
    let versions = states.versions[start..<(states.versions.count - end)].map(Optional.some)
    chunk.versions.replaceSubrange(changed, with: versions)
  }

  private func list<Action>(_ states: IdentifiedArray<Child.State>, _ asked: AskedChildren<ID>)
    -> [StateEffect<Action>]
  {
    let listed: [StateEffect<Action>] = states.stamps.compactMap { stamp in
      guard let chunk = asked.chunks[stamp.number], chunk.hasEffects.contains(true) else {
        return nil
      }
      return StateEffect(
        id: AnyHashable(chunk.group),
        .group { [weak self] in
          zip(chunk.ids, chunk.hasEffects).filter { $1 }.flatMap { id, _ in
            self?.all[id]?.stateEffects as? [StateEffect<Action>] ?? []
          }
        })
    }
    asked.listed = listed
    return listed
  }
}
