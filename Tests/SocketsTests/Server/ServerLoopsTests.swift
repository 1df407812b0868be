import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

@testable import Sockets

@Suite("A server with several event loops", .workerPool)
struct ServerLoopsTests {
  /// A server with two loops that echoes messages.
  private final class TwoLoopServer: Sendable {
    let server: WebSocketServer
    let sockets = Watched<[WebSocket]>([])
    let bag = DisposeBag()

    init(_ admission: WebSocketAdmission = .init()) throws {
      server = try WebSocketServer(
        configuration: .init().onStoppedClock, admission: admission, loops: 2)
      server.connections.subscribe(onNext: { [sockets, bag] socket in
        precondition(socket.driver.loop.isCurrent, "it is delivered on its own loop")
        socket.messages.subscribe(
          onNext: { [weak socket] in try? socket?.send($0) }, onError: { _ in }
        ).disposed(by: bag)
        sockets.update { $0.append(socket) }
      }).disposed(by: bag)
    }

    /// Clients that connect one after the other, so that the index identifies the server's end.
    func clients(_ count: Int) async -> [TransportRecorder] {
      var clients: [TransportRecorder] = []
      for _ in 0..<count {
        let before = sockets.value.count
        clients.append(await RawClient.upgraded(by: server))
        await sockets.wait { $0.count > before }
      }
      return clients
    }
  }

  @Test func `a server assigns each connection to the loop with the fewest`() async throws {
    let served = try TwoLoopServer()
    let clients = await served.clients(4)
    let loops = served.sockets.value.map { ObjectIdentifier($0.driver.loop) }
    #expect(Set(loops).count == 2 && loops[0] == loops[2] && loops[1] == loops[3])
    for index in [0, 2] {
      clients[index].transport.close()
      await SocketEventRecorder(served.sockets.value[index]).waitUntilOver()
    }
    // Two on the second loop, none on the first.
    let more = await served.clients(2)
    #expect(served.sockets.value[4...].allSatisfy { ObjectIdentifier($0.driver.loop) == loops[0] })
    for client in clients + more { client.transport.close() }
  }

  @Test func `a server accepts and serves on other loops while an observer blocks one`()
    async throws
  {
    let served = try TwoLoopServer()
    let clients = await served.clients(2)
    // The calls of the test run on the first loop.
    let blocked = served.sockets.value.firstIndex { $0.driver.loop !== EventLoop.shared } ?? 0
    let (isBlocked, mayGoOn) = (Watched(false), DispatchSemaphore(value: 0))
    served.sockets.value[blocked].messages.subscribe(
      onNext: { _ in
        isBlocked.update { $0 = true }
        mayGoOn.wait()
      }, onError: { _ in }
    ).disposed(by: served.bag)
    clients[blocked].send(Wire.frame(0x81, "block", masked: true))
    await isBlocked.wait { $0 }
    let other = clients[1 - blocked]
    other.send(Wire.frame(0x81, "hi", masked: true))
    await other.waitToReceive(Wire.frame(0x81, "hi", masked: false))
    let third = await served.clients(1)[0]
    third.send(Wire.frame(0x81, "new", masked: true))
    await third.waitToReceive(Wire.frame(0x81, "new", masked: false))
    mayGoOn.signal()
    await clients[blocked].waitToReceive(Wire.frame(0x81, "block", masked: false))
    for client in clients + [third] { client.transport.close() }
  }

  @Test func `a server with two loops emits one connection at a time, and completes once`()
    async throws
  {
    let server = try WebSocketServer(configuration: .init().onStoppedClock, loops: 2)
    let inside = Atomic(0)
    let (most, count, ends) = (Watched(0), Watched(0), Watched(0))
    let bag = DisposeBag()
    server.connections.subscribe(
      onNext: { _ in
        let now = inside.add(1, ordering: .relaxed).newValue
        // Long enough for other connections to arrive.
        let end = MonotonicClock.now + 300_000
        while MonotonicClock.now < end {}
        inside.subtract(1, ordering: .relaxed)
        most.update { $0 = max($0, now) }
        count.update { $0 += 1 }
      },
      onCompleted: { ends.update { $0 += 1 } }
    ).disposed(by: bag)
    let clients = await withTaskGroup(of: TransportRecorder.self) { group in
      for _ in 0..<40 { group.addTask { await RawClient.upgraded(by: server) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    await count.wait { $0 == 40 }
    server.close()
    await ends.wait { $0 == 1 }
    #expect(most.value == 1)
    for client in clients { client.transport.close() }
    #expect(await server.shutDown() == 0)
    #expect(ends.value == 1 && count.value == 40)
  }

  @Test func `limits, counts, results and ends span all loops of a server`() async throws {
    var admission = WebSocketAdmission()
    admission.connectionLimit = 6
    let served = try TwoLoopServer(admission)
    let clients = await served.clients(6)
    let refused = await RawClient.upgraded(by: served.server)
    refused.transport.close()
    while served.server.totals.handshaking > 0 { await Task.yield() }
    #expect(served.server.totals.refused == [503: 1])
    #expect(served.server.totals.open == 6)
    #expect(served.server.broadcast(.text("all")).sent == 6)
    for client in clients { await client.waitToReceive(Wire.frame(0x81, "all", masked: false)) }
    async let dropped = served.server.shutDown(code: .serviceRestart)
    for client in clients {
      await client.log.wait { TransportRecorder.frames(in: $0.received).count == 2 }
      #expect(client.frames[1].payload == [0x03, 0xF4])
      client.send(Wire.frame(0x88, [0x03, 0xF4], masked: true))
      await client.log.wait { $0.ended == 1 }
      client.transport.close()
    }
    #expect(await dropped == 0)
    #expect(served.server.totals.open == 0)
    #expect(served.server.totals.closed == [.serviceRestart: 6])
  }

  @Test func `the receive budget closes the largest connection of all loops`() async throws {
    var admission = WebSocketAdmission()
    admission.memoryLimit = 1_000_000
    let served = try TwoLoopServer(admission)
    let clients = await served.clients(4)
    // The beginning of a message of 16 MiB; the third connection holds most.
    let head: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    let budget = served.server.sockets.budget
    for (client, count) in zip(clients, [200_000, 200_000, 450_000, 250_000]) {
      let before = budget.heldBytes
      client.send(head + [UInt8](repeating: 1, count: count))
      let isLast = count == 250_000
      while !isLast, budget.heldBytes < before + count - 20_000 { await Task.yield() }
    }
    #expect(await clients[2].closeCode() == .messageTooBig)
    #expect(budget.heldBytes < 700_000)
    #expect(served.sockets.value.filter { $0.state == .connected }.count == 3)
    for client in clients { client.transport.close() }
    for socket in served.sockets.value { await SocketEventRecorder(socket).waitUntilOver() }
    #expect(budget.heldBytes == 0)
  }

  @Test func `two servers share a port when both allow it`() async throws {
    let configuration = WebSocketConfiguration().onStoppedClock
    let one = try WebSocketServer(configuration: configuration, reusesPort: true)
    #expect(throws: TransportError.addressInUse(address: "127.0.0.1:\(one.port)")) {
      _ = try WebSocketServer(port: one.port)
    }
    let two = try WebSocketServer(
      port: one.port, configuration: configuration, loops: 2, reusesPort: true)
    var clients: [TransportRecorder] = []
    // The system distributes connections at random: all on one server has a probability of 2^-63.
    for _ in 0..<64 { clients.append(await RawClient.upgraded(by: one)) }
    #expect(one.totals.open + two.totals.open == 64)
    #expect(one.totals.open > 0 && two.totals.open > 0)
    for client in clients { client.transport.close() }
  }

  @Test func `a server cannot share the port of one that does not allow it`() throws {
    let alone = try WebSocketServer()
    #expect(throws: TransportError.addressInUse(address: "127.0.0.1:\(alone.port)")) {
      _ = try WebSocketServer(port: alone.port, reusesPort: true)
    }
  }

  @Test func `a server that closes leaves new connections to the others on its port`()
    async throws
  {
    let configuration = WebSocketConfiguration().onStoppedClock
    let one = try WebSocketServer(configuration: configuration, reusesPort: true)
    let two = try WebSocketServer(
      port: one.port, configuration: configuration, reusesPort: true)
    one.close()
    var clients: [TransportRecorder] = []
    for _ in 0..<16 { clients.append(await RawClient.upgraded(by: two)) }
    #expect(two.totals.open == 16 && one.totals.accepted == 0)
    for client in clients { client.transport.close() }
  }

  @Test(arguments: [(-1, 1), (0, 1), (3, 3), (1_000_000, 256)])
  func `a server uses the nearest possible number of loops`(count: Int, nearest: Int) {
    #expect(EventLoopCount(count).value == nearest)
    #expect(EventLoopCount.cores.value >= 1)
  }
}
