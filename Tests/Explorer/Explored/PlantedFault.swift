/// Former faults of the sources, which the explorer must find.
@usableFromInline package enum PlantedFault: CaseIterable {
  /// A hub announces the retirement of a list too late for the last emission to see it.
  case lateRetirement
  /// A lifetime counts as released while a resource of it is being released.
  case earlyRelease
  /// A shared source is subscribed to again before its previous connection has disposed of it.
  case overlappingConnections
  /// `share(scope: .forever)` receives elements of two connections at the same time.
  case overlappingElements

  // Set while no thread is explored.
  private nonisolated(unsafe) static var planted: PlantedFault?

  @usableFromInline var isPlanted: Bool { Self.planted == self }

  /// Runs `body` with the fault in the sources.
  package func planted<Result>(_ body: () -> Result) -> Result {
    Self.planted = self
    defer { Self.planted = nil }
    return body()
  }
}
