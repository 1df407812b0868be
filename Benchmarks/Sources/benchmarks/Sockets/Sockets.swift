extension Workload {
  /// From one end of a connection to the other and back.
  static let sockets = echoing
}
