import Reactive

extension TCPTransport {
  /// Makes a transport that `start` connects to the first address of `host` that answers.
  ///
  /// The host is a name or a literal address. There is no deadline; `close` ends the attempts.
  ///
  /// - Parameter scheduler: clock of the race between addresses; the loop's by default
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
