import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

@testable import Sockets

@Suite("The lifetime of a WebSocket", .workerPool)
struct WebSocketLifeTests {
  @Test func `U05: a released WebSocket closes with 1001`() async throws {
    let raw = try RawServer()
    var socket: WebSocket? = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
    let peer = try await raw.upgradedPeer()
    for try await state in try #require(socket).states.values where state == .connected { break }
    let object = WeakBox(try #require(socket))
    socket = nil
    #expect(await peer.closeCode() == .goingAway)
    peer.send(Wire.frame(0x88, [0x03, 0xE9], masked: false))
    peer.transport.closeWriting()
    await peer.log.wait { $0.isClosed }
    #expect(object.object == nil)
  }

  @Test func `a WebSocket that is released while it connects ends the attempt`() async throws {
    let raw = try RawServer()
    var socket: WebSocket? = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
    let peer = await raw.peerWithRequest()
    #expect(socket?.state == .connecting)
    socket = nil
    await peer.log.wait { $0.ended == 1 || $0.isClosed }
  }

  @Test func `a subscription retains a WebSocket until it is disposed of`() async throws {
    let raw = try RawServer()
    let texts = Watched<[String]>([])
    let subscription = WebSocket.connect(to: raw.url, configuration: .init().onStoppedClock)
      .messages
      .subscribe(onNext: { message in texts.update { $0.append(message.text ?? "") } })
    let peer = try await raw.upgradedPeer(then: Wire.frame(0x81, "a", masked: false))
    await texts.wait { $0 == ["a"] }
    subscription.dispose()
    #expect(await peer.closeCode() == .goingAway)
    peer.transport.close()
  }

  @Test func `an observer that retains its WebSocket releases it at the end`() async throws {
    let echo = try EchoServer()
    var socket: WebSocket? = WebSocket(echo.url)
    let object = WeakBox(try #require(socket))
    let ended = Watched(false)
    if let socket {
      _ = socket.events.subscribe(
        onNext: { event in if event == .connected { socket.close() } },
        onDisposed: { ended.update { $0 = true } }
      )
      socket.connect()
    }
    socket = nil
    await ended.wait { $0 }
    await EventLoop.shared.settle()
    #expect(object.object == nil)
  }

  @Test func `a deadline of a released WebSocket is cancelled`() async throws {
    let time = VirtualTime()
    var configuration = WebSocketConfiguration()
    configuration.scheduler = time.scheduler
    let echo = try EchoServer()
    let object: WeakBox
    do {
      let (socket, recorder) = WebSocket.recorded(to: echo.url, configuration)
      object = WeakBox(socket)
      socket.connect()
      await recorder.waitUntilConnected()
      socket.close()
      await recorder.waitUntilOver()
    }
    await EventLoop.shared.settle()
    #expect(object.object == nil)
    #expect(time.scheduler.nextTime == nil)
  }

  @Test func `a thousand connections leave no object and no descriptor`() async {
    await #expect(processExitsWith: .success) {
      let objects = Locked<[WeakBox]>([])
      let before: Int
      do {
        let server = try WebSocketServer()
        let bag = DisposeBag()
        server.connections
          .subscribe(onNext: { socket in
            objects.withLock { $0.append(WeakBox(socket)) }
            socket.messages.subscribe(onNext: { try? socket.send($0) }, onError: { _ in })
              .disposed(by: bag)
          })
          .disposed(by: bag)
        @Sendable func cycle(_ round: Int) async throws {
          let (socket, recorder) = WebSocket.recorded(to: server.url)
          objects.withLock { $0.append(WeakBox(socket)) }
          socket.connect()
          // All kinds of ends: before the connection, after an echo, and a plain release.
          if round % 3 != 0 {
            await recorder.waitUntilConnected()
            try socket.send("\(round)")
            await recorder.log.wait { $0.texts.count == 1 }
          }
          if round % 3 == 2 { return }
          socket.close()
          await recorder.waitUntilOver()
        }
        try await cycle(1)
        try await Task.sleep(for: .microseconds(1))
        before = openDescriptors()
        for round in 0..<1_000 { try await cycle(round) }
        for _ in 0..<1_000 where openDescriptors() > before { await EventLoop.shared.settle() }
        #expect(openDescriptors() <= before)
      }
      // The listener is closed by then, too.
      for _ in 0..<1_000 where openDescriptors() >= before { await EventLoop.shared.settle() }
      #expect(openDescriptors() < before)
      for _ in 0..<1_000 where objects.withLock({ $0.contains { $0.object != nil } }) {
        await EventLoop.shared.settle()
      }
      let count = objects.withLock { $0.count }
      #expect(count >= 1_600)
      #expect(objects.withLock { $0.allSatisfy { $0.object == nil } })
    }
  }
}
