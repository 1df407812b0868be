extension SocketStreams {
  /// Wraps `down` so that reading from the peer pauses while a buffer behind `down` is full.
  ///
  /// The buffer counts as a full window from the message that fills it until half of it is taken.
  func reading(
    for down: Observer<WebSocketMessage>, _ driver: ConnectionDriver
  ) -> Observer<WebSocketMessage> {
    let lifetime = down.lifetime
    guard let backpressure = lifetime.backpressure else { return down }
    // Used on the loop's thread only.
    let isCut = Ref(false)
    return down.with { message in
      // Only a closing WebSocket reads past a full buffer. Its messages are discarded from the
      // first one that does not fit.
      if isCut.value || self.discards && backpressure.pause != nil {
        isCut.value = true
        return
      }
      down.next(message)
      guard let pause = backpressure.pause else { return }
      // Counted before `onEnd`, which may count the drain at once.
      self.windowFilled()
      backpressure.onEnd(of: pause, or: lifetime) {
        if self.windowDrained() { driver.resume() }
      }
    }
  }
}
