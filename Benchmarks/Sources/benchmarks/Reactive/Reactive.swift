extension Workload {
  /// Source, operator, observer.
  static let reactive =
    delivering + large + creating + combining + flattening + sharing + subscribing + disposing
    + keeping + scheduling + timing + virtualTiming + dispatchTiming + contending
}
