import Foundation
import Synchronization

/// One end of a link: passes the bytes of its side to the opposite end, and writes to its side the
/// bytes that the opposite end passes.
final class LinkEnd: TransportHandler, @unchecked Sendable {
  // `conditioner` has its own lock. `opposite` is set once, before the link starts. The other
  // mutable properties are accessed on the loop's thread only.
  private let conditioner: Locked<LinkConditioner>
  private let delay: Duration
  private let transport: MemoryTransport
  private let scheduler: (any SchedulerType)?
  private let isStarted = Atomic(false)
  private weak var opposite: LinkEnd?
  private var delayedJobs = Fifo<() -> Void>()
  private var unwritten: [UInt8] = []
  /// The end of the opposite side, which follows the unwritten bytes.
  private var ending: Ending?
  /// Whether this side accepts bytes; those for a side that does not are dropped.
  private var isWritable = true

  private enum Ending {
    case closeWriting
    case close
  }

  /// From this many unwritten bytes on, the link stops reading from the opposite side.
  ///
  /// Delayed bytes do not count.
  private static let unwrittenLimit = 65_536

  static func pair(_ first: LinkEnd, _ second: LinkEnd) {
    first.opposite = second
    second.opposite = first
  }

  init(
    _ transport: MemoryTransport, _ conditions: WebSocketLink.Conditions,
    _ scheduler: (any SchedulerType)?
  ) {
    self.transport = transport
    self.scheduler = scheduler
    let conditioner = LinkConditioner(conditions)
    delay = conditioner.delay
    self.conditioner = Locked(conditioner)
  }

  // MARK: Callable from any thread

  /// How many bytes of this side were delivered or are on their way.
  var passedCount: Int { conditioner.withLock { $0.passedCount } }

  /// Drops all bytes, and the end, that arrive from now on; delayed ones are still delivered.
  func silence() { conditioner.withLock { $0.isSilent = true } }

  func start() {
    if !isStarted.exchange(true, ordering: .relaxed) { transport.start(self) }
  }

  func cut() {
    let transports = [transport, opposite?.transport]
    transport.loop.execute { for transport in transports { transport?.close() } }
  }

  // MARK: Called on the loop's thread

  // The opposite side may have written before.
  func transportOpened() { write([]) }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    let decision = conditioner.withLock { $0.receive(bytes.count) }
    let passed = Array(bytes.prefix(decision.passedCount))
    deliver { [weak opposite] in opposite?.write(passed) }
    if decision.cutsConnection { deliver { [weak self] in self?.cut() } }
  }

  func transportWritable() { write([]) }

  func transportEnded() {
    if conditioner.withLock({ $0.isSilent }) { return }
    deliver { [weak opposite] in opposite?.end(.closeWriting) }
  }

  func transportFailed(_ error: TransportError) { dropUnwritten() }

  func transportClosed(_ error: TransportError?) {
    dropUnwritten()
    if conditioner.withLock({ $0.isSilent }) { return }
    deliver { [weak opposite] in opposite?.end(.close) }
  }

  /// Ends this side after the unwritten bytes.
  private func end(_ ending: Ending) {
    self.ending = ending
    write([])
  }

  /// Drops the bytes for this side: they must keep neither the opposite side nor its end waiting.
  private func dropUnwritten() {
    isWritable = false
    unwritten = []
    write([])
  }

  /// Writes bytes of the opposite side to this side, and then the end.
  private func write(_ bytes: [UInt8]) {
    if isWritable { unwritten += bytes }
    unwritten.removeFirst(unwritten.withUnsafeBytes { transport.write($0) })
    opposite?.transport.setReading(unwritten.count < Self.unwrittenLimit)
    guard unwritten.isEmpty else { return }
    switch ending.take() {
    case .closeWriting: transport.closeWriting()
    case .close: transport.close()
    case nil: break
    }
  }

  /// Runs `job` after the delay, in the order of the calls; without a delay, before it returns.
  private func deliver(_ job: @escaping () -> Void) {
    if delay <= .zero { return job() }
    delayedJobs.append(job)
    let runNext: @Sendable () -> Void = { self.delayedJobs.popFirst()?() }
    guard let scheduler else {
      transport.loop.schedule(after: delay, runNext)
      return
    }
    let loop = transport.loop
    _ = scheduler.after(RxTimeInterval(delay)) { loop.execute(runNext) }
  }
}
