import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

/// Events before the first observer are kept for it, within bounds.
@Suite("Events before the first observer", .workerPool)
struct SocketStreamsTests {
  @Test func `all events before the first observer are kept, connected and the end too`()
    async throws
  {
    let raw = try RawServer()
    let socket = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
    let peer = try await raw.upgradedPeer(
      then: Wire.frame(0x81, "a", masked: false) + Wire.frame(0x01, "b", masked: false)
        + Wire.frame(0x89, "?", masked: false) + Wire.frame(0x80, "c", masked: false)
        + Wire.frame(0x88, [0x03, 0xE8], masked: false)
    )
    peer.transport.closeWriting()
    await peer.log.wait { $0.ended == 1 }
    for try await state in socket.states.values where state == .disconnected { break }
    // The ping was answered.
    #expect(peer.frames.map(\.first) == [0x8A, 0x88])
    #expect(socket.state == .disconnected)
    let recorder = SocketEventRecorder(socket)
    await recorder.waitUntilOver()
    #expect(
      recorder.value.events == [
        .connected, .message(.text("a")), .message(.text("bc")),
        .disconnected(code: .normal, reason: ""),
      ]
    )
  }

  @Test(arguments: [0, 1, 2]) func `the first observer of any stream receives the kept events`(
    stream: Int
  ) async throws {
    let raw = try RawServer()
    let socket = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
    let peer = try await raw.upgradedPeer(
      then: Wire.frame(0x01, "a", masked: false) + Wire.frame(0x80, "b", masked: false)
    )
    for try await state in socket.states.values where state == .connected { break }
    await EventLoop.shared.settle()
    peer.send(Wire.frame(0x81, "c", masked: false))
    let emitted: Observable<String> =
      switch stream {
      case 0: socket.messages.map { $0.text ?? "" }
      case 1: socket.frames.map { String(decoding: $0.payload, as: UTF8.self) }
      default:
        socket.events.map { event in
          if case .message(let message) = event { message.text ?? "" } else { "\(event)" }
        }
      }
    let expected =
      switch stream {
      case 0: ["ab", "c"]
      case 1: ["a", "b", "c"]
      default: ["connected", "ab", "c"]
      }
    var received: [String] = []
    for try await text in emitted.values {
      received.append(text)
      if received.count == expected.count { break }
    }
    #expect(received == expected)
    peer.transport.close()
  }

  @Test func `reading stops after 16 messages, and none is lost`() async throws {
    let raw = try RawServer()
    let socket = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
    let peer = try await raw.upgradedPeer()
    // One message per read, more in total than the buffers of the system hold.
    let message = [UInt8](repeating: 0x61, count: 60_000)
    let count = 400
    for number in 0..<count {
      peer.send(Wire.frame(0x82, [UInt8(number & 0xFF)] + message, masked: false))
    }
    let sent = await EventLoop.shared.stableCount { peer.sent }
    #expect(sent < count * message.count)
    let numbers = Watched<[Int]>([])
    let bag = DisposeBag()
    socket.messages
      .subscribe(onNext: { message in numbers.update { $0.append(Int(message.data[0])) } })
      .disposed(by: bag)
    await numbers.wait { $0.count == count }
    #expect(numbers.value == (0..<count).map { $0 & 0xFF })
    peer.transport.close()
  }

  @Test func `pings before the first observer are answered, and not kept`() async throws {
    let raw = try RawServer()
    let socket = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
    let peer = try await raw.upgradedPeer()
    for number in 0..<200 {
      peer.send(Wire.frame(0x89, [UInt8(number)], masked: false))
      await peer.log.wait { TransportRecorder.frames(in: $0.received).count == number + 1 }
    }
    let recorder = SocketEventRecorder(socket)
    peer.send(Wire.frame(0x88, [], masked: false))
    peer.transport.closeWriting()
    await recorder.waitUntilOver()
    #expect(recorder.value.frames == [.close()])
  }

  @Test func `a socket without observers closes behind its unread messages`() async throws {
    let raw = try RawServer()
    let socket = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
    let peer = try await raw.upgradedPeer()
    let frame = Wire.frame(0x82, .init(repeating: 1, count: 60_000), masked: false)
    for _ in 0..<200 { peer.send(frame) }
    _ = await EventLoop.shared.stableCount { peer.sent }
    socket.close()
    #expect(await peer.closeCode() == .normal)
    peer.send(Wire.frame(0x88, [0x03, 0xE8], masked: false))
    // Its end shows that it has read the close frame.
    await peer.log.wait { $0.ended == 1 }
    peer.transport.close()
    for try await state in socket.states.values where state == .disconnected { break }
    let recorder = SocketEventRecorder(socket)
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == nil)
    #expect(recorder.value.messages.count < 200)
    #expect(recorder.value.closeCode == .normal)
  }

  @Test func `an event is delivered after the connected event`() {
    let streams = SocketStreams()
    streams.emit(.connected)
    let emitted = Locked<[WebSocketEvent]>([])
    let events = Observable<WebSocketEvent>(.direct) { streams.events.add($0) }
    let subscription = events.subscribe(onNext: { event in emitted.withLock { $0.append(event) } })
    _ = streams.noteObserver(ofFrames: false)
    // It is emitted before the loop delivers the kept events.
    streams.emit(WebSocketMessage.text("first"))
    #expect(emitted.withLock { $0 } == [.connected, .message(.text("first"))])
    subscription.dispose()
  }

  @Test func `frames are observed from the subscription on, in the middle of a read too`()
    async throws
  {
    let pair = try await MemoryPeer()
    let bag = DisposeBag()
    let log = Watched<[String]>([])
    pair.socket.messages
      .subscribe(onNext: { [socket = pair.socket] message in
        log.update { $0.append(message.text ?? "") }
        guard message.text == "1" else { return }
        socket.frames
          .subscribe(onNext: { frame in
            log.update { $0.append("frame " + String(decoding: frame.payload, as: UTF8.self)) }
          })
          .disposed(by: bag)
      })
      .disposed(by: bag)
    pair.peer.send(["1", "2", "3"].flatMap { Wire.frame(0x81, $0, masked: false) })
    await log.wait { $0.last == "3" }
    #expect(log.value == ["1", "frame 2", "2", "frame 3", "3"])
    pair.close()
  }

  // MARK: States

  /// The states that an observer receives, with nil for completion.
  private func observe(_ streams: SocketStreams) -> (Locked<[WebSocketState?]>, any Disposable) {
    let received = Locked<[WebSocketState?]>([])
    let states = Observable<WebSocketState>(.direct) { streams.addStates($0, keeping: streams) }
    let subscription = states.subscribe(
      onNext: { state in received.withLock { $0.append(state) } },
      onCompleted: { received.withLock { $0.append(nil) } }
    )
    return (received, subscription)
  }

  @Test func `an observer of the states begins with the last delivered state`() {
    let streams = SocketStreams()
    let (first, subscription) = observe(streams)
    streams.emit(.state(.connecting))
    subscription.dispose()
    // Without an observer.
    streams.emit(.state(.connected))
    let (second, _) = observe(streams)
    #expect(second.withLock { $0 } == [.connected])
    let (third, _) = observe(streams)
    streams.emit(.state(.disconnected))
    let (beforeTheEnd, _) = observe(streams)
    streams.emit(.ended(CloseOutcome()))
    let (late, _) = observe(streams)
    #expect(first.withLock { $0 } == [.idle, .connecting])
    for received in [second, third] {
      #expect(received.withLock { $0 } == [.connected, .disconnected, nil])
    }
    for received in [beforeTheEnd, late] {
      #expect(received.withLock { $0 } == [.disconnected, nil])
    }
  }

  @Test func `an observer that subscribes during a delivery receives each state once`() {
    let streams = SocketStreams()
    let isOver = Locked(false)
    let received = Locked<[Locked<[WebSocketState?]>]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      if thread == 0 {
        // A lost or repeated state leaves two equal neighbours.
        for number in 0..<300_000 {
          streams.emit(.state(number % 2 == 0 ? .connecting : .connected))
        }
        streams.emit(.state(.disconnected))
        streams.emit(.ended(CloseOutcome()))
        isOver.withLock { $0 = true }
        return
      }
      // Each observer is disposed of before the next one subscribes.
      while isOver.withLock({ !$0 }) {
        let (log, subscription) = observe(streams)
        for _ in 0..<100 where log.withLock({ $0.count < 2 }) {}
        subscription.dispose()
        received.withLock { $0.append(log) }
      }
    }
    let (late, _) = observe(streams)
    #expect(late.withLock { $0 } == [.disconnected, nil])
    let all = received.withLock { $0 }.map { log in log.withLock { $0 } }
    let wrong = all.filter { states in
      states.isEmpty || zip(states, states.dropFirst()).contains { $0 == $1 }
    }
    #expect(wrong.isEmpty)
  }

  @Test func `a dropped connection delivers no more kept messages`() async throws {
    let pair = try await MemoryPeer()
    for number in 0..<5 { pair.send("\(number)") }
    _ = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    let log = Watched<[String]>([])
    let subscription = pair.socket.messages.subscribe(
      onNext: { [socket = pair.socket] message in
        log.update { $0.append(message.text ?? "") }
        socket.drop()
      }, onError: { _ in log.update { $0.append("error") } },
      onCompleted: { log.update { $0.append("|") } })
    await log.wait { $0.count > 1 }
    #expect(log.value == ["0", "|"])
    subscription.dispose()
  }

  @Test func `no kept message is delivered after a drop on another thread has returned`()
    async throws
  {
    let pair = try await MemoryPeer()
    for number in 0..<5 { pair.send("\(number)") }
    _ = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    let log = Watched<[String]>([])
    let hasDropped = DispatchSemaphore(value: 0)
    EventLoop.shared.execute { hasDropped.wait() }
    let subscription = pair.socket.messages.subscribe(
      onNext: { message in log.update { $0.append(message.text ?? "") } },
      onCompleted: { log.update { $0.append("|") } })
    pair.socket.drop()
    hasDropped.signal()
    await log.wait { $0.last == "|" }
    #expect(log.value == ["|"])
    subscription.dispose()
  }

  @Test func `a connection that is dropped before it is observed delivers only its end`()
    async throws
  {
    let pair = try await MemoryPeer()
    for number in 0..<5 { pair.send("\(number)") }
    _ = await EventLoop.shared.stableCount { pair.socket.metrics.messagesReceived }
    pair.socket.drop()
    await EventLoop.shared.settle()
    let recorder = SocketEventRecorder(pair.socket)
    await recorder.waitUntilOver()
    #expect(recorder.value.messages.isEmpty)
  }

  @Test func `the end of a connection with a dropped backlog is kept for its first observer`() {
    let streams = SocketStreams()
    streams.emit(.message(.text("a")))
    streams.emit(.ended(CloseOutcome()))
    streams.dropBacklog()
    let events = Locked<[String]>([])
    let lifetime = Lifetime()
    streams.events.add(
      lifetime.observer(
        next: { event in events.withLock { $0.append("\(event)") } },
        end: { _ in events.withLock { $0.append("|") } }))
    if streams.noteObserver(ofFrames: false) { streams.catchUp() }
    #expect(events.withLock { $0.count } == 2)
  }
}
