/// Faults that the sources had once, to show that they would be found.
@usableFromInline package enum PlantedFault: CaseIterable {
  /// A hub says that it retires a list when it has done so, which the last emission may not see any more.
  case lateRetirement
  /// A source that is shared is subscribed to again before the connection before has let go of it.
  case overlappingConnections
  /// What `share` keeps for ever receives from two connections at once.
  case overlappingElements

  // Set while no thread is explored.
  private nonisolated(unsafe) static var planted: PlantedFault?

  @usableFromInline var isPlanted: Bool { Self.planted == self }

  /// Runs `body` with the fault.
  package func planted<Result>(_ body: () -> Result) -> Result {
    Self.planted = self
    defer { Self.planted = nil }
    return body()
  }
}
