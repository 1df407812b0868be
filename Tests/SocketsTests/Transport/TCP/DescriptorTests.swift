import Glibc
import Reactive
import TestSupport
import Testing

@testable import Sockets

// Each in a process of its own: descriptors are counted for the whole process.
@Suite(.workerPool) struct DescriptorTests {
  @Test func `a thousand TCP connections leave no descriptor and no object`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop(name: "test")
      let accepted = Watched<[WeakBox]>([])
      let listener = try TCPListener(loop: loop)
      listener.startTransports { transport in
        accepted.update { $0.append(WeakBox(transport)) }
        transport.start(EchoHandler(transport))
      }
      let objects = Locked<[WeakBox]>([])
      @Sendable func cycle(_ round: Int) async {
        let transport = TCPTransport(host: "127.0.0.1", port: listener.port, loop: loop)
        let client = TransportRecorder(transport)
        objects.withLock { $0 += [WeakBox(transport), WeakBox(client)] }
        await client.start()
        client.send([1])
        // All kinds of ends: at once, after an answer, after a half close.
        if round % 3 != 0 { await client.log.wait { $0.received == [1] } }
        if round % 3 == 2 { client.transport.closeWriting() } else { client.transport.close() }
        await client.log.wait { $0.isClosed }
      }
      let before = try await descriptorsAtFirst()
      for round in 0..<1_000 { await cycle(round) }
      // The accepted ends close when the loop has read the clients' ends.
      for _ in 0..<1_000 where openDescriptors() > before { await loop.settle() }
      #expect(openDescriptors() <= before)
      #expect(accepted.value.count == 1_000)
      #expect(accepted.value.allSatisfy { $0.object == nil })
      #expect(objects.withLock { $0.allSatisfy { $0.object == nil } })
    }
  }

  @Test func `a transport or listener that never starts closes its descriptor`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop(name: "test")
      let before = try await descriptorsAtFirst()
      for _ in 0..<10 {
        let listener = try TCPListener(loop: loop)
        let client = RawSocket.connected(to: listener.port)
        let transport = TCPTransport(accepted: client.descriptor, loop: loop)
        withExtendedLifetime((listener, transport)) {}
      }
      #expect(openDescriptors() <= before)
    }
  }

  @Test func `failed connections leave no descriptor`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop(name: "test")
      let owner = RawSocket.bound()
      for round in 0..<100 {
        let host = round % 2 == 0 ? "127.0.0.1" : "localhost"
        let client = TransportRecorder(TCPTransport(host: host, port: owner.port, loop: loop))
        let before = openDescriptors()
        await client.start()
        #expect(client.log.value.opened == 0)
        // The first look-up of a name can open files that stay open.
        if round > 10 { #expect(openDescriptors() <= before) }
      }
    }
  }

  @Test func `a stopped loop leaves no descriptor`() async {
    await #expect(processExitsWith: .success) {
      let before = try await descriptorsAtFirst()
      for _ in 0..<10 {
        let loop = try EventLoop(name: "test")
        let connection = try await Loopback(loop)
        loop.stop()
        #expect(connection.client.log.value.isClosed)
      }
      #expect(openDescriptors() <= before)
    }
  }

  @Test func `a listener without descriptors waits without spinning, then accepts`() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop(name: "test")
      let listener = try TCPListener(loop: loop)
      let accepted = Watched(0)
      listener.startTransports { transport in
        accepted.update { $0 += 1 }
        transport.start(EchoHandler(transport))
      }
      let client = RawSocket.bound()
      await loop.settle()
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let usual = limit
      limit.rlim_cur = 0
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      client.beginConnecting(to: listener.port)
      // While nothing can be accepted, the loop sleeps: its thread needs hardly any time.
      let start = await loop.run { threadProcessorTime() }
      let later = Watched(false)
      loop.schedule(after: .milliseconds(350)) { later.update { $0 = true } }
      await later.wait { $0 }
      let spent = await loop.run { threadProcessorTime() } - start
      #expect(accepted.value == 0)
      #expect(spent < .milliseconds(50))
      var restored = usual
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &restored)
      await accepted.wait { $0 == 1 }
      client.close()
    }
  }
}

/// The maximum number of descriptors: Dispatch opens some with the first deadline of a test, and
/// the test runner closes some.
func descriptorsAtFirst() async throws -> Int {
  try await Task.sleep(for: .microseconds(1))
  return openDescriptors()
}

/// The number of open descriptors, without the timers of Dispatch, which appear at any time.
func openDescriptors() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    var target = [CChar](repeating: 0, count: 64)
    _ = readlink("/proc/self/fd/" + name, &target, target.count - 1)
    let isTimer = strstr(target, "timerfd") != nil
    if !isTimer { count += 1 }
  }
  return count
}

/// A weak reference that shows whether an object is alive.
struct WeakBox: @unchecked Sendable {
  // Weak references can be read from any thread.
  weak var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }
}
