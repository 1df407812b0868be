import Foundation
import Synchronization

/// One direction of a link: receives the bytes of one side and writes them to the other side.
final class LinkDirection: TransportHandler, @unchecked Sendable {
  // `conditioner` has its own lock. `opposite` is set once, before the link starts. The other
  // mutable properties are accessed on the loop's thread only.
  private let conditioner: Locked<LinkConditioner>
  private let delay: Duration
  private let source: MemoryTransport
  private let scheduler: (any SchedulerType)?
  private let isStarted = Atomic(false)
  private weak var opposite: LinkDirection?
  private var delayedJobs = Fifo<() -> Void>()
  private var unwritten: [UInt8] = []

  /// Maximum number of unwritten bytes; at this number the link stops reading from the other side.
  private static let unwrittenLimit = 65_536

  static func connect(_ first: LinkDirection, _ second: LinkDirection) {
    first.opposite = second
    second.opposite = first
  }

  init(
    from source: MemoryTransport, _ conditions: WebSocketLink.Conditions,
    _ scheduler: (any SchedulerType)?
  ) {
    self.source = source
    self.scheduler = scheduler
    let conditioner = LinkConditioner(conditions)
    delay = conditioner.delay
    self.conditioner = Locked(conditioner)
  }

  // MARK: Callable from any thread

  var deliveredCount: Int { conditioner.withLock { $0.deliveredCount } }

  func silence() { conditioner.withLock { $0.isSilent = true } }

  func start() {
    if !isStarted.exchange(true, ordering: .relaxed) { source.start(self) }
  }

  func cut() {
    let transports = [source, opposite?.source]
    source.loop.execute { for transport in transports { transport?.close() } }
  }

  // MARK: Called on the loop's thread

  func transportOpened() {}

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    let decision = conditioner.withLock { $0.receive(bytes.count) }
    let delivered = Array(bytes.prefix(decision.deliveredCount))
    deliver { [weak opposite] in opposite?.write(delivered) }
    if decision.cutsConnection { deliver { [weak self] in self?.cut() } }
  }

  func transportWritable() { write([]) }

  func transportEnded() {
    if conditioner.withLock({ $0.isSilent }) { return }
    deliver { [weak opposite] in opposite?.source.closeWriting() }
  }

  func transportClosed(_ error: TransportError?) {
    if conditioner.withLock({ $0.isSilent }) { return }
    deliver { [weak opposite] in opposite?.source.close() }
  }

  /// Writes bytes of the opposite direction to the side that this direction reads from.
  private func write(_ bytes: [UInt8]) {
    unwritten += bytes
    unwritten.removeFirst(unwritten.withUnsafeBytes { source.write($0) })
    opposite?.source.setReading(unwritten.count < Self.unwrittenLimit)
  }

  /// Runs `job` after the delay, in the order of the calls.
  private func deliver(_ job: @escaping () -> Void) {
    if delay <= .zero { return job() }
    delayedJobs.append(job)
    let runNext: @Sendable () -> Void = { self.delayedJobs.popFirst()?() }
    guard let scheduler else {
      source.loop.schedule(after: delay, runNext)
      return
    }
    let loop = source.loop
    _ = scheduler.after(RxTimeInterval(delay)) { loop.execute(runNext) }
  }
}
