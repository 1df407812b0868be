/// Whether a list without ids has lost its first elements, as one of the last values of something does when
/// it is full.
///
/// Each position then has another value, and the list has changed as a whole.
func isShifted(_ old: Any, _ new: Any) -> Bool {
  func isShifted<List: RandomAccessCollection>(_ old: List) -> Bool {
    guard List.Element.self is any Equatable.Type, !(List.Element.self is any Identifiable.Type),
      let new = new as? List, old.count == new.count, (8...10_000).contains(old.count)
    else { return false }
    return (1...8).contains { distance in
      zip(old.dropFirst(distance), new).allSatisfy { areEqual($0, $1) }
    }
  }
  return (old as? any RandomAccessCollection).map { isShifted($0) } ?? false
}

private func areEqual(_ old: Any, _ new: Any) -> Bool {
  func isEqual<Value: Equatable>(_ old: Value) -> Bool { new as? Value == old }
  return (old as? any Equatable).map { isEqual($0) } ?? false
}
