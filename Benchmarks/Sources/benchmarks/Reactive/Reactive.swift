extension Workload {
  /// Source, operator, observer.
  static let reactive = delivering + combining + flattening + sharing + subscribing + scheduling
}
