import Reactive

extension SocketStreams {
  /// `down`, for which nothing more is read while a buffer behind it is full.
  ///
  /// It counts as a window that is full, from the message that fills the buffer until half of it is taken.
  func reading(
    for down: Observer<WebSocketMessage>, _ driver: ConnectionDriver
  ) -> Observer<WebSocketMessage> {
    let lifetime = down.lifetime
    guard let backpressure = lifetime.backpressure else { return down }
    // Touched on the loop's thread only.
    let isCut = Cell(false)
    return down.with { message in
      // Only a WebSocket that closes reads past a full buffer; what nobody takes must not pile up.
      if isCut.value || self.discards && backpressure.pause != nil {
        isCut.value = true
        return
      }
      down.next(message)
      guard let pause = backpressure.pause else { return }
      // Before the pause can end, and count it as drained.
      self.windowFilled()
      backpressure.onEnd(of: pause, or: lifetime) {
        if self.windowDrained() { driver.resume() }
      }
    }
  }
}
