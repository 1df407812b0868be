/// An ordered stream of bytes in both directions: the one seam between the protocol and the world.
///
/// Every method may be called from any thread. The handler is called on ``loop`` only, never from
/// inside one of these methods.
package protocol Transport: AnyObject, Sendable {
  /// Where the handler is called.
  var loop: EventLoop { get }

  /// Begins connecting (a client) or reading (an accepted connection). Called once; the handler is
  /// retained until it has heard `transportClosed`.
  func start(_ handler: any TransportHandler)

  /// Hands bytes over for sending, without ever waiting; returns how many were taken.
  ///
  /// After less than `bytes.count`, `transportWritable` follows once there is room, or
  /// `transportClosed` if there never will be. Takes nothing before `transportOpened`, after
  /// ``closeWriting()`` and after ``close()``. The caller serialises writes.
  func write(_ bytes: UnsafeRawBufferPointer) -> Int

  /// Backpressure: while false, nothing is read and the peer is slowed down.
  ///
  /// Off the loop, a delivery already under way may still arrive after `setReading(false)`. The end of the
  /// connection is reported while reading is paused too: see `transportFailed` and
  /// `transportEndArrived`.
  func setReading(_ isReading: Bool)

  /// Where the peer, or the proxy before it, is; nil where there is no network, before the connection is made
  /// and after its end. An accepted transport knows it on the loop before `start`.
  var peerAddress: NetworkAddress? { get }

  /// The certificate that a server's client has shown, from `transportOpened` on.
  var clientCertificate: TLSClientCertificate? { get }

  /// What the peer's system has acknowledged of what was written; nil when that is not known.
  var acknowledgement: Acknowledgement? { get }

  /// Half close: the peer learns, after all that was written, that no more will come.
  ///
  /// A transport whose both directions have ended closes by itself.
  func closeWriting()

  /// Drops the connection now. Idempotent; `transportClosed` follows, unless it already came.
  ///
  /// On the loop, nothing but `transportClosed` is called after this returns.
  func close()
}

extension Transport {
  /// None.
  package var clientCertificate: TLSClientCertificate? { nil }
}

/// What the peer's system has acknowledged of what was written to it.
package struct Acknowledgement: Equatable, Sendable {
  /// Bytes that were written and are not acknowledged, sent or not.
  package var outstanding: Int
  /// How long ago the peer's system acknowledged anything.
  package var age: Duration
  /// Whether the peer's system owes an acknowledgement: of data, or of repeated window probes.
  package var isDue: Bool

  /// Whether something is unacknowledged, and nothing was acknowledged since what was sent `elapsed` ago.
  ///
  /// The system counts in milliseconds, so an acknowledgement shortly before that counts as one after it.
  func isOverdue(since elapsed: Duration) -> Bool {
    isDue && age >= elapsed + .milliseconds(20)
  }
}

/// What a transport tells.
///
/// Every call is made on the transport's loop, one at a time.
///
/// The order is `opened (received | writable)* ended? writable* closed`; `closed` alone when
/// connecting failed. `endArrived` and `failed` may come once each between `opened` and `closed`.
package protocol TransportHandler: AnyObject, Sendable {
  func transportOpened()

  /// `bytes` are never empty, and valid during the call only.
  func transportReceived(_ bytes: UnsafeRawBufferPointer)

  /// There is room again after a `write` that took less than it was given.
  func transportWritable()

  /// The peer will send no more; writing may still work.
  func transportEnded()

  /// The peer's end has arrived and is not read, because reading is paused.
  ///
  /// `transportEnded` follows once reading has come to it.
  func transportEndArrived()

  /// The connection is broken, and not all that had arrived is read: nothing can be written any more.
  ///
  /// What had arrived can still be read: the handler resumes reading, and `transportClosed` follows with
  /// the same error behind the last bytes; or it closes the transport, and the unread bytes are lost.
  func transportFailed(_ error: TransportError)

  /// Exactly once, and the last call. Without an error: closed by this side, or both directions
  /// ended.
  func transportClosed(_ error: TransportError?)
}

extension TransportHandler {
  package func transportEndArrived() {}
  package func transportFailed(_ error: TransportError) {}
}
