extension Workload {
  /// Source, operator, observer.
  static let reactive = delivering
}
