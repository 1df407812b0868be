/// Performs the deliveries of both endpoints of a mock connection, one at a time.
final class MockDeliveryDriver: StateMachineDriver {
  typealias Delivery = @Sendable () -> Void

  /// The deliveries that wait.
  struct Machine: StateMachine {
    fileprivate var deliveries = Fifo<Delivery>()

    var hasOutputs: Bool { !deliveries.isEmpty }

    mutating func popOutput() -> Delivery? { deliveries.popFirst() }
  }

  let content = Locked(DrivenStateMachine(Machine()))
  private let afterLatency: @Sendable (@escaping Delivery) -> Void

  /// - Parameter afterLatency: runs a closure after the latency of the connection.
  init(afterLatency: @escaping @Sendable (@escaping Delivery) -> Void) {
    self.afterLatency = afterLatency
  }

  /// Performs `delivery` now, or after the deliveries that are running and queued.
  func add(_ delivery: @escaping Delivery) { update { $0.deliveries.append(delivery) } }

  /// Adds `delivery` after the latency.
  func addAfterLatency(_ delivery: @escaping Delivery) { afterLatency { self.add(delivery) } }

  func perform(_ delivery: Delivery) { delivery() }
}
