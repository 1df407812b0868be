/// The counts of a server: since its start, and at this moment.
public struct WebSocketServerTotals: Hashable, Sendable {
  /// Connections that are WebSockets now.
  public var open = 0
  /// Connections that are not WebSockets now: in their handshake, or sending plain requests.
  public var handshaking = 0
  /// Connections accepted so far.
  public var accepted = 0
  /// Connections that became WebSockets so far.
  public var opened = 0
  /// Plain requests answered so far, by status.
  public var answered: [Int: Int] = [:]
  /// Connections that ended so far because their TLS handshake failed.
  public var failedTLS = 0
  /// Connections that ended so far because they sent no request in time.
  public var timedOut = 0
  /// Handshakes and plain requests refused so far, by status.
  public var refused: [Int: Int] = [:]
  /// WebSockets that ended so far, by close code; 1006 without a close frame.
  public var closed: [CloseCode: Int] = [:]
  /// Bytes received so far, not counting TLS.
  public var bytesReceived = 0
  /// Bytes written so far, not counting TLS.
  public var bytesSent = 0
  /// Messages received so far.
  public var messagesReceived = 0
  /// Messages sent so far, including those not written yet.
  public var messagesSent = 0
  /// Bytes not written yet.
  public var queuedBytes = 0
  /// Bytes of unfinished and undelivered messages that the connections hold now.
  ///
  /// ``WebSocketAdmission/memoryLimit`` is the limit. Changes below 16 KiB per connection are not
  /// counted.
  public var heldBytes = 0
  /// How late the last timer of the event loop fired, which is how long events wait for their turn.
  ///
  /// With several loops, the longest of their delays.
  public var loopLag = Duration.zero

  /// Makes the totals of a server without any connection.
  public init() {}

  /// Adds the bytes and messages of a connection, which still count after its end.
  mutating func add(_ metrics: WebSocketMetrics) {
    bytesReceived += metrics.bytesReceived
    bytesSent += metrics.bytesSent
    messagesReceived += metrics.messagesReceived
    messagesSent += metrics.messagesSent
    queuedBytes += metrics.queuedBytes
  }

  /// Adds an ended connection.
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
  /// The totals now; each call reads every connection.
  public var totals: WebSocketServerTotals { sockets.totals }

  /// Emits the totals at once and then at each interval, on the event loop's thread.
  ///
  /// After the server is closed, it goes on until all connections have ended, emits the totals once more
  /// and completes.
  ///
  /// - Parameter interval: time between two totals: one second
  public func totals(every interval: Duration = .seconds(1)) -> Observable<WebSocketServerTotals> {
    Observable.create { [sockets, loop, clock] observer in
      let timer = SerialDisposable()
      @Sendable func tick() {
        if timer.isDisposed { return }
        // Read first: a server that accepts connections has totals that change.
        let isServing = sockets.isServing
        let totals = sockets.totals
        observer.onNext(totals)
        if !isServing, totals.open + totals.handshaking == 0 { return observer.onCompleted() }
        timer.disposable = clock.after(interval) { tick() }
      }
      loop.execute { tick() }
      return timer
    }
  }
}
