import Foundation
import Synchronization

/// What becomes of the bytes of one direction: a plain value that decides.
struct LinkMeter {
  private let cutAfter: Int?
  private let dropsAfter: Int?
  private(set) var carried = 0
  var isSilent = false

  /// How many of some bytes arrive, and whether the connection ends after them.
  struct Passage: Equatable {
    let arriving: Int
    let cuts: Bool
  }

  init(_ conditions: WebSocketLink.Conditions) {
    (cutAfter, dropsAfter) = (conditions.cutAfter, conditions.dropsAfter)
  }

  /// What becomes of the bytes that come now.
  mutating func pass(_ count: Int) -> Passage {
    if isSilent { return Passage(arriving: 0, cuts: false) }
    let limit = min(cutAfter ?? .max, dropsAfter ?? .max)
    let arriving = min(count, limit - carried)
    carried += arriving
    return Passage(arriving: arriving, cuts: carried == cutAfter)
  }
}

/// One direction of a link: takes the bytes of one side and hands them to the other.
final class LinkHalf: TransportHandler, @unchecked Sendable {
  // `meter` protects itself; `other` is set once before anything starts; the rest is touched on the
  // loop's thread only.
  private let meter: Locked<LinkMeter>
  private let source: MemoryTransport
  private let delay: Duration
  private let scheduler: (any SchedulerType)?
  private let isStarted = Atomic(false)
  private weak var other: LinkHalf?
  private var onTheirWay = Fifo<() -> Void>()
  private var unwritten: [UInt8] = []

  /// More that the other side does not take, and no more is read.
  private static let limit = 65_536

  static func join(_ first: LinkHalf, _ second: LinkHalf) {
    (first.other, second.other) = (second, first)
  }

  init(
    from source: MemoryTransport, _ conditions: WebSocketLink.Conditions,
    _ scheduler: (any SchedulerType)?
  ) {
    (self.source, self.scheduler, delay) = (source, scheduler, conditions.delay)
    meter = Locked(LinkMeter(conditions))
  }

  // MARK: From any thread

  var carried: Int { meter.withLock { $0.carried } }

  func silence() { meter.withLock { $0.isSilent = true } }

  func start() {
    if !isStarted.exchange(true, ordering: .relaxed) { source.start(self) }
  }

  func cut() {
    let ends = [source, other?.source]
    source.loop.execute { for end in ends { end?.close() } }
  }

  // MARK: On the loop

  func transportOpened() {}

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    let passage = meter.withLock { $0.pass(bytes.count) }
    let piece = Array(bytes.prefix(passage.arriving))
    deliver { [weak other] in other?.write(piece) }
    if passage.cuts { deliver { [weak self] in self?.cut() } }
  }

  func transportWritable() { write([]) }

  func transportEnded() {
    if meter.withLock({ $0.isSilent }) { return }
    deliver { [weak other] in other?.source.closeWriting() }
  }

  func transportClosed(_ error: TransportError?) {
    if meter.withLock({ $0.isSilent }) { return }
    deliver { [weak other] in other?.source.close() }
  }

  /// Writes to the side that this is the source of.
  private func write(_ bytes: [UInt8]) {
    unwritten += bytes
    unwritten.removeFirst(unwritten.withUnsafeBytes { source.write($0) })
    other?.source.setReading(unwritten.count < Self.limit)
  }

  /// Runs `job` after the delay, in order.
  private func deliver(_ job: @escaping () -> Void) {
    if delay <= .zero { return job() }
    onTheirWay.append(job)
    let arrive: @Sendable () -> Void = { self.onTheirWay.popFirst()?() }
    guard let scheduler else {
      source.loop.schedule(after: delay, arrive)
      return
    }
    let loop = source.loop
    _ = scheduler.after(delay.dispatched) { loop.execute(arrive) }
  }
}

extension Duration {
  /// The same for schedulers, rounded to nanoseconds.
  fileprivate var dispatched: RxTimeInterval {
    let (seconds, attoseconds) = components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
