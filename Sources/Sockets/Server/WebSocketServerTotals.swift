import Reactive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a server has done so far, and has now.
public struct WebSocketServerTotals: Hashable, Sendable {
  /// Connections that are WebSockets now.
  public var open = 0
  /// Connections that are not, or not yet: in their handshake, or asking plain requests.
  public var handshaking = 0
  /// Connections that were accepted so far.
  public var accepted = 0
  /// Connections that have become WebSockets so far.
  public var opened = 0
  /// Plain requests that were answered so far, by status.
  public var answered: [Int: Int] = [:]
  /// Connections that have ended so far because their handshake of TLS came to nothing.
  public var failedTLS = 0
  /// Connections that have ended so far because they asked for nothing in time.
  public var timedOut = 0
  /// Handshakes and plain requests that were refused so far, by status.
  public var refused: [Int: Int] = [:]
  /// WebSockets that have ended so far, by their close code; 1006 without a close frame.
  public var closed: [CloseCode: Int] = [:]
  /// Bytes that have come so far, without TLS.
  public var bytesReceived = 0
  /// Bytes that were written so far, without TLS.
  public var bytesSent = 0
  /// Messages that have come so far.
  public var messagesReceived = 0
  /// Messages that were sent so far, or wait to be written.
  public var messagesSent = 0
  /// Bytes that wait to be written now.
  public var queuedBytes = 0
  /// Bytes of unfinished and undelivered messages that the connections hold now.
  ///
  /// It has a limit, ``WebSocketAdmission/memoryLimit``. Changes of less than 16 KiB a connection are not counted.
  public var heldBytes = 0
  /// By how much the timer was late that has fired last on the event loop: how long events wait for their
  /// turn; of several loops, the longest.
  public var loopLag = Duration.zero

  /// Those of a server that has done nothing yet.
  public init() {}

  /// A connection that is over counts for ever with what has gone through.
  mutating func add(_ metrics: WebSocketMetrics) {
    bytesReceived += metrics.bytesReceived
    bytesSent += metrics.bytesSent
    messagesReceived += metrics.messagesReceived
    messagesSent += metrics.messagesSent
    queuedBytes += metrics.queuedBytes
  }

  /// A connection has ended.
  mutating func add(_ ending: CloseOutcome, _ metrics: WebSocketMetrics, wasOpen: Bool) {
    add(metrics)
    if wasOpen {
      closed[ending.code, default: 0] += 1
      return
    }
    switch ending.error {
    case .handshake(.rejected(let status, _, _, _))?: refused[status, default: 0] += 1
    case .handshakeTimedOut?: timedOut += 1
    case .transport(.tls)?: failedTLS += 1
    default: break
    }
  }
}

extension WebSocketServer {
  /// What the server has done so far, and has now; asks each connection.
  public var totals: WebSocketServerTotals { sockets.totals }

  /// The totals, at once and then again and again, on the event loop's thread; completes when the server is
  /// closed.
  ///
  /// - Parameter interval: The time between two of them: a second.
  public func totals(every interval: Duration = .seconds(1)) -> Observable<WebSocketServerTotals> {
    Observable.create { [sockets, loop, clock] observer in
      let ticks = TotalsTicks(observer, sockets, loop, clock, interval)
      loop.execute { ticks.tick() }
      return Disposables.create { ticks.timer.dispose() }
    }
  }
}

/// Tells one observer the totals, as long as it observes.
private final class TotalsTicks: Sendable {
  let timer = SerialDisposable()
  private let observer: AnyObserver<WebSocketServerTotals>
  private let sockets: ConnectionRegistry
  private let loop: EventLoop
  private let clock: LoopClock
  private let interval: Duration

  init(
    _ observer: AnyObserver<WebSocketServerTotals>, _ sockets: ConnectionRegistry,
    _ loop: EventLoop,
    _ clock: LoopClock, _ interval: Duration
  ) {
    (self.observer, self.sockets, self.loop) = (observer, sockets, loop)
    (self.clock, self.interval) = (clock, interval)
  }

  func tick() {
    if timer.isDisposed { return }
    observer.onNext(sockets.totals)
    if !sockets.isServing { return observer.onCompleted() }
    timer.disposable = clock.after(interval) { self.tick() }
  }
}
