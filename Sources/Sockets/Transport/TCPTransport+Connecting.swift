import Reactive

extension TCPTransport {
  /// A connection that `start` makes, to a name or a literal address: to the first of its addresses that answers.
  ///
  /// It has no deadline; `close` ends it.
  ///
  /// - Parameter scheduler: The clock of the race between addresses; the loop's by default.
  package convenience init(
    host: String,
    port: UInt16,
    loop: EventLoop = .shared,
    scheduler: (any SchedulerType)? = nil
  ) {
    let clock = LoopClock(loop: loop, scheduler: scheduler)
    self.init(TCPConnector(host: host, port: port, clock: clock))
  }
}
