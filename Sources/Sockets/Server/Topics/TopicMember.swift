/// The subscription of a socket to a topic; it ends with the socket.
final class TopicMember: Disposable {
  let socket: WebSocket
  let topic: String
  private let driver: TopicDriver
  private let observation = SerialDisposable()

  init(_ socket: WebSocket, _ topic: String, _ driver: TopicDriver) {
    (self.socket, self.topic, self.driver) = (socket, topic, driver)
  }

  /// Ends with the socket, which may have ended already.
  func observeSocket() {
    observation.disposable = socket.states.subscribe(onCompleted: { [weak self] in self?.dispose() }
    )
  }

  func dispose() {
    observation.dispose()
    driver.remove(self)
  }
}
