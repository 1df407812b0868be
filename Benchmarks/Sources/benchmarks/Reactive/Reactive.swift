extension Workload {
  /// Source, operator, observer.
  static let reactive =
    delivering + creating + combining + flattening + sharing + subscribing + keeping + scheduling
    + timing + contending
}
