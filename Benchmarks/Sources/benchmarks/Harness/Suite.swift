/// All workloads, in the order of the tables.
@MainActor
enum Suite {
  static let curves = Curve.reactive + Curve.sockets

  static let workloads =
    checked(
      // The sockets are last: they end in the background, where they allocate.
      Workload.reactive + points(of: Curve.reactive) + Workload.compose + Workload.inspector
        + Workload.sockets + points(of: Curve.sockets)
    )

  private static func points(of curves: [Curve]) -> [Workload] {
    curves.flatMap { $0.points.map(\.workload) }
  }

  private static func checked(_ workloads: [Workload]) -> [Workload] {
    let names = Set(workloads.map(\.name))
    let others = peers.values.flatMap(\.keys) + Quoted.names
    precondition(others.allSatisfy(names.contains), "A peer or a quoted figure without a workload.")
    return workloads
  }
}
