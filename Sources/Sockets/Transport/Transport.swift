/// An ordered stream of bytes in both directions: the one seam between the protocol and I/O.
///
/// Any thread may call every method. The handler is called on ``loop`` only, and never from inside
/// one of these methods.
package protocol Transport: AnyObject, Sendable {
  /// The loop that calls the handler.
  var loop: EventLoop { get }

  /// Begins to connect (a client) or to read (an accepted connection); call it once.
  ///
  /// The handler is retained until it has received `transportClosed`.
  func start(_ handler: any TransportHandler)

  /// Calls `handler` from now on in place of the one that it was started with, unless that one has received
  /// `transportClosed`; call it on the loop.
  func replaceHandler(with handler: any TransportHandler)

  /// Sends bytes without waiting; returns how many were accepted.
  ///
  /// After fewer than `bytes.count`, `transportWritable` follows when there is room, or
  /// `transportClosed` if there will be none. Nothing is accepted before `transportOpened`, after
  /// ``closeWriting()`` and after ``close()``. The caller makes one write at a time.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int

  /// Sends `bytes` and then `more`, as one call of `write(_:)` with all of them would.
  func write(_ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer) -> Int

  /// Pauses or resumes reading: while paused, nothing is read and backpressure slows the peer.
  ///
  /// A call from another thread does not stop a delivery under way: it may arrive after
  /// `setReading(false)`. The end of the connection is reported while reading is paused too: see
  /// `transportFailed` and `transportEndArrived`.
  func setReading(_ isReading: Bool)

  /// The address of the peer, or of the proxy before it.
  ///
  /// Nil without a network, before the connection is made and after its end. An accepted transport
  /// has it on the loop before `start`.
  var peerAddress: NetworkAddress? { get }

  /// The verified certificate of a server's client, from `transportOpened` on; nil without one.
  var clientCertificate: TLSClientCertificate? { get }

  /// What the peer's system has acknowledged of the written bytes; nil when that is unknown.
  var acknowledgement: Acknowledgement? { get }

  /// Half-closes: the peer receives the end of the bytes after all that was written.
  ///
  /// A transport whose two directions have ended closes by itself.
  func closeWriting()

  /// Closes the connection now and drops unsent bytes. Idempotent.
  ///
  /// `transportClosed` follows, unless it was called before. On the loop, no other handler call is
  /// made after this returns.
  func close()
}

extension Transport {
  /// Sends them one after the other.
  package func write(_ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer) -> Int {
    let written = write(bytes)
    return written < bytes.count || more.isEmpty ? written : written + write(more)
  }

  /// Returns nil, for transports without TLS.
  package var clientCertificate: TLSClientCertificate? { nil }
}

/// What the peer's system has acknowledged of the written bytes.
package struct Acknowledgement: Equatable, Sendable {
  /// How many written bytes are not acknowledged, sent or not.
  package var outstanding: Int
  /// The time since the peer's system last acknowledged anything.
  package var age: Duration
  /// Whether the peer's system owes an acknowledgement: of data, or of repeated window probes.
  package var isDue: Bool

  package init(outstanding: Int, age: Duration, isDue: Bool) {
    (self.outstanding, self.age, self.isDue) = (outstanding, age, isDue)
  }

  /// Whether bytes are unacknowledged, and no acknowledgement arrived for `elapsed`.
  ///
  /// The system counts in milliseconds, so an acknowledgement shortly before that time counts as
  /// one after it.
  func isOverdue(since elapsed: Duration) -> Bool {
    isDue && age >= elapsed + .milliseconds(20)
  }
}

/// Receives the events of a transport.
///
/// Every call is made on the transport's loop, one at a time.
///
/// The order is `opened (received | writable)* ended? writable* closed`; `closed` alone if
/// connecting failed. `endArrived` and `failed` may be called once each between `opened` and
/// `closed`.
package protocol TransportHandler: AnyObject, Sendable {
  func transportOpened()

  /// `bytes` are never empty, and are valid during the call only.
  func transportReceived(_ bytes: UnsafeRawBufferPointer)

  /// There is room again after a `write` that did not accept all bytes.
  func transportWritable()

  /// The peer has ended its direction; writing may still work.
  func transportEnded()

  /// The peer's end has arrived but is not read, because reading is paused.
  ///
  /// `transportEnded` follows when reading reaches it.
  func transportEndArrived()

  /// The connection has failed before all received bytes were read: nothing can be written any
  /// more.
  ///
  /// The handler has a choice. If it resumes reading, it gets the unread bytes, and then
  /// `transportClosed` with the same error. If it closes the transport, the unread bytes are lost.
  func transportFailed(_ error: TransportError)

  /// The last call, made exactly once.
  ///
  /// The error is nil if this side closed, or if both directions ended.
  func transportClosed(_ error: TransportError?)
}

extension TransportHandler {
  package func transportEndArrived() {}
  package func transportFailed(_ error: TransportError) {}
}
