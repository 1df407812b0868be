import Foundation
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("The decisions of a keepalive", .workerPool) struct KeepaliveDecisionTests {
  @Test func `a keepalive sends a ping after each interval while bytes arrive`() {
    let plan = WebSocketKeepalive(interval: .seconds(20), timeout: .seconds(20))
    var keepalive = Keepalive()
    for _ in 0..<3 {
      #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(20)))
      keepalive.noteSignOfLife()
    }
  }

  @Test func `a timeout shorter than the interval delays the next ping`() {
    let plan = WebSocketKeepalive(interval: .seconds(30), timeout: .seconds(10))
    var keepalive = Keepalive()
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(10)))
    keepalive.noteSignOfLife()
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .wait(.seconds(20)))
    // Bytes before the next ping do not answer it.
    keepalive.noteSignOfLife()
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(10)))
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .dead)
  }

  @Test func `a timeout longer than the interval delays the next ping`() {
    let plan = WebSocketKeepalive(interval: .seconds(5), timeout: .seconds(10))
    var keepalive = Keepalive()
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(10)))
    keepalive.noteSignOfLife()
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(10)))
  }

  @Test func `the default timeout is not longer than the interval`() {
    #expect(WebSocketKeepalive(interval: .seconds(5)).timeout == .seconds(5))
    #expect(WebSocketKeepalive(interval: .seconds(60)).timeout == .seconds(20))
  }

  @Test func `a peer is alive while it acknowledges queued bytes`() {
    let plan = WebSocketKeepalive()
    var keepalive = Keepalive()
    keepalive.note(taken: 1 << 32 - 10, isOwed: true)
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(20)))
    keepalive.note(taken: 1 << 32 + 10, isOwed: true)
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(20)))
    // A ping is in flight too, and TLS has made it longer.
    keepalive.note(taken: 1 << 32 - 12, isOwed: true)
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .dead)
  }

  @Test func `while reading is paused, silence is not evidence of a dead peer`() {
    let plan = WebSocketKeepalive()
    var keepalive = Keepalive()
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .ping(wait: .seconds(20)))
    #expect(keepalive.expire(plan, isSilenceEvidence: false) == .ping(wait: .seconds(20)))
    #expect(keepalive.expire(plan, isSilenceEvidence: true) == .dead)
  }
}

@Suite("The keepalive of a WebSocket", .workerPool)
struct KeepaliveTests {
  private func pings(_ peer: TransportRecorder) -> Int { peer.frames.count { $0.first == 0x89 } }

  @Test func `a peer that is silent for 20 seconds after a ping is dead`() async throws {
    let pair = try await MemoryPeer()
    let recorder = SocketEventRecorder(pair.socket)
    await pair.advance(by: .milliseconds(19_999))
    #expect(pair.peer.log.value.received.isEmpty)
    await pair.advance(by: .milliseconds(1))
    #expect(pings(pair.peer) == 1)
    await pair.advance(by: .milliseconds(19_999))
    #expect(pair.socket.state == .connected)
    await pair.advance(by: .milliseconds(1))
    await recorder.waitUntilOver()
    #expect(recorder.value.failure == .silent(after: .seconds(20)))
    #expect(recorder.value.errors == [.silent(after: .seconds(20))])
    #expect(recorder.value.closeCode == .abnormal)
    #expect(recorder.value.states == [.connected, .disconnecting, .disconnected])
    await pair.peer.log.wait { $0.isClosed || $0.ended == 1 }
    #expect(pair.time.scheduler.nextTime == nil)
  }

  @Test func `any received byte is a sign of life`() async throws {
    let pair = try await MemoryPeer()
    for byte in Wire.frame(0x81, "slow", masked: false) {
      await pair.advance(by: .seconds(20))
      pair.peer.send([byte])
      await EventLoop.shared.settle()
    }
    #expect(pair.socket.state == .connected)
    #expect(pings(pair.peer) == 6)
    pair.socket.close()
    await pair.answerClose()
  }

  @Test func `a WebSocket with paused reading is not closed for silence`() async throws {
    let pair = try await MemoryPeer()
    let values = pair.socket.values
    for number in 0..<16 { pair.send("\(number)") }
    await EventLoop.shared.settle()
    for _ in 0..<5 { await pair.advance(by: .seconds(20)) }
    #expect(pair.socket.state == .connected)
    // While reading, the peer has to send again.
    var iterator = values.makeAsyncIterator()
    for number in 0..<16 { #expect(try await iterator.next() == .text("\(number)")) }
    await EventLoop.shared.settle()
    for _ in 0..<2 { await pair.advance(by: .seconds(20)) }
    await #expect(throws: WebSocketError.silent(after: .seconds(20))) { try await iterator.next() }
  }

  @Test func `without a keepalive no ping is sent and no silence ends the connection`() async throws
  {
    var configuration = WebSocketConfiguration()
    configuration.keepalive = nil
    let pair = try await MemoryPeer(configuration)
    await pair.advance(by: .seconds(86_400))
    #expect(pair.peer.log.value.received.isEmpty)
    #expect(pair.socket.state == .connected)
    pair.socket.close()
    await pair.answerClose()
  }

  @Test func `keepalive pings are not application pings`() async throws {
    let pair = try await MemoryPeer()
    let roundTrip = Task { try await pair.socket.ping() }
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 1 }
    let own = try #require(pair.peer.frames.first)
    await pair.advance(by: .seconds(20))
    // It is written after the first ping, whose write is another thread's.
    await pair.peer.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
    let kept = try #require(pair.peer.frames.last)
    #expect(own.payload != kept.payload)
    await pair.advance(by: .milliseconds(40))
    pair.peer.send(Wire.frame(0x8A, own.payload, masked: false))
    #expect(try await roundTrip.joined == .milliseconds(20_040))
    await pair.advance(by: .milliseconds(10))
    pair.peer.send(Wire.frame(0x8A, kept.payload, masked: false))
    await EventLoop.shared.settle()
    #expect(pair.socket.metrics.roundTripTime == .milliseconds(50))
    pair.socket.close()
    await pair.answerClose()
  }
}
