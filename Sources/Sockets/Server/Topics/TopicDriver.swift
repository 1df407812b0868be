#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Joins the topics of a server with its backplane, and keeps the time for their presence.
///
/// Messages do not pass through the state machine: a publishing thread takes the recipients under
/// the lock, and sends without it.
final class TopicDriver: StateMachineDriver {
  let content: Locked<DrivenStateMachine<TopicTable>>
  let states: ReplayingHub<BackplaneState>
  let errors = PublishSubject<BackplaneError>().serialized()

  private let origin = TopicOrigin(random: systemRandomBytes)
  private let clock: LoopClock
  private let log: WebSocketLog
  /// Set once, before the server is used; nil without a backplane, and after the end.
  private let connection = Locked<(any BackplaneConnection)?>(nil)
  private let timers = Locked<[String: any Disposable]>([:])
  private let ticker = SerialDisposable()
  /// When a malformed message was last logged.
  private let lastMalformed = Locked<Duration?>(nil)

  /// How long changes of the presence are collected.
  private static var announcementDelay: Duration { .milliseconds(100) }

  init(hasBackplane: Bool, clock: LoopClock, log: WebSocketLog) {
    content = Locked(DrivenStateMachine(TopicTable(hasBackplane: hasBackplane)))
    states = ReplayingHub(value: .connecting)
    if !hasBackplane { states.hub.end(nil) }
    (self.clock, self.log) = (clock, log)
  }

  func connect(to backplane: any Backplane) {
    let connection = backplane.connect { [weak self] in self?.receive($0) }
    self.connection.withLock { $0 = connection }
  }

  /// Ends all topics and the connection.
  func close() {
    let members = update { $0.close() }
    for member in members { member.dispose() }
    connection.withLock { $0.take() }?.close()
    ticker.dispose()
    for timer in timers.replace(with: [:]).values { timer.dispose() }
    states.hub.end(nil)
    errors.onCompleted()
  }

  func perform(_ output: TopicTable.Output) {
    switch output {
    case .subscribe(let topic): current?.subscribe(to: topic)
    case .unsubscribe(let topic): current?.unsubscribe(from: topic)
    case .send(let content, let topic): send(content, to: topic)
    case .emit(let count, let counts): counts.next(count)
    case .announceLater(let topic):
      let timer = clock.afterAnywhere(Self.announcementDelay) { [weak self] in self?.announce(topic)
      }
      timers.withLock { $0.updateValue(timer, forKey: topic) }?.dispose()
    case .tickLater:
      ticker.disposable = clock.afterAnywhere(TopicPresence.interval) { [weak self] in
        guard let self else { return }
        update { $0.tick(at: clock.now) }
      }
    case .end(let streams):
      for stream in streams {
        stream.messages?.onCompleted()
        stream.counts?.hub.end(nil)
      }
    }
  }

  private var current: (any BackplaneConnection)? { connection.withLock { $0 } }

  private func send(_ content: TopicEnvelope.Content, to topic: String) {
    let envelope = TopicEnvelope(origin: origin, content: content)
    current?.publish(envelope.bytes, to: topic, isTransient: true)
  }

  private func announce(_ topic: String) {
    _ = timers.withLock { $0.removeValue(forKey: topic) }
    update { $0.announce(topic, at: clock.now) }
  }

  // MARK: Subscribers and observers

  func add(_ socket: WebSocket, to topic: String) -> any Disposable {
    let made = TopicMember(socket, topic, self)
    guard let member = update({ $0.add(made, at: clock.now) }) else { return Disposables.create() }
    if member === made { made.observeSocket() }
    return member
  }

  func remove(_ member: TopicMember) { update { $0.remove(member, at: clock.now) } }

  func localCount(of topic: String) -> Int { read { $0.localCount(of: topic) } }

  func observeMessages(_ topic: String, _ observer: AnyObserver<WebSocketMessage>)
    -> any Disposable
  {
    guard let messages = update({ $0.observeMessages(of: topic, at: clock.now) }) else {
      observer.onCompleted()
      return Disposables.create()
    }
    let subscription = messages.subscribe(observer)
    return Disposables.create { [self] in
      subscription.dispose()
      update { $0.stopObserving(.messages, of: topic, at: clock.now) }
    }
  }

  func observePresence(_ topic: String, _ observer: AnyObserver<Int>) -> any Disposable {
    guard let counts = update({ $0.observePresence(of: topic, at: clock.now) }) else {
      observer.onCompleted()
      return Disposables.create()
    }
    let subscription = counts.observable(keeping: self).subscribe(observer)
    return Disposables.create { [self] in
      subscription.dispose()
      update { $0.stopObserving(.presence, of: topic, at: clock.now) }
    }
  }

  // MARK: Messages

  /// Sends a message to the subscribers here, then to other processes, then to the observers here.
  ///
  /// The observers are last, because they may publish an answer, which must not overtake.
  func publish(
    _ message: WebSocketMessage, to topic: String, limit: Int, slowClients: SlowClients
  ) -> WebSocketBroadcast {
    let recipients = read { $0.recipients(of: topic) }
    let broadcast = recipients.send(message, limit: limit, slowClients: slowClients)
    if let current {
      let content = TopicEnvelope.Content.message(message, limit: limit, slowClients: slowClients)
      let envelope = TopicEnvelope(origin: origin, content: content)
      current.publish(envelope.bytes, to: topic, isTransient: false)
    }
    recipients.messages?.onNext(message)
    return broadcast
  }

  private func receive(_ event: BackplaneEvent) {
    switch event {
    case .state(let state): received(state)
    case .failed(let error): fail(error)
    case .message(let bytes, let topic):
      do throws(MalformedTopicMessage) {
        let envelope = try TopicEnvelope(bytes)
        if envelope.origin != origin { received(envelope, to: topic) }
      } catch {
        fail(.malformed(topic: topic, error))
      }
    }
  }

  private func received(_ envelope: TopicEnvelope, to topic: String) {
    guard case .message(let message, let limit, let slowClients) = envelope.content else {
      return update {
        $0.received(envelope.content, from: envelope.origin, to: topic, at: clock.now)
      }
    }
    let recipients = read { $0.recipients(of: topic) }
    _ = recipients.send(message, limit: limit, slowClients: slowClients)
    recipients.messages?.onNext(message)
  }

  private func received(_ state: BackplaneState) {
    switch state {
    case .connecting: break
    case .connected:
      log.write(.info, "the backplane is connected")
      update { $0.connected() }
    case .disconnected(let reason):
      log.write(.warning, "the backplane is not connected, topics go on in this process: \(reason)")
    }
    states.next(state)
  }

  private func fail(_ error: BackplaneError) {
    if case .malformed = error {
      // Anybody who reaches the broker can cause this: one line a minute.
      let now = clock.now
      let isDue = lastMalformed.withLock { last in
        if let time = last, now - time < .seconds(60) { return false }
        last = now
        return true
      }
      if isDue { log.write(.warning, "backplane: \(error)") }
    } else {
      log.write(.warning, "backplane: \(error)")
    }
    errors.onNext(error)
  }
}

extension TopicTable.Recipients {
  fileprivate func send(
    _ message: WebSocketMessage, limit: Int, slowClients: SlowClients
  ) -> WebSocketBroadcast {
    var broadcast = WebSocketBroadcast()
    if members.isEmpty { return broadcast }
    let prepared = PreparedMessage(message)
    for member in members {
      broadcast.send(prepared, to: member.socket, limit: limit, slowClients: slowClients)
    }
    return broadcast
  }
}
