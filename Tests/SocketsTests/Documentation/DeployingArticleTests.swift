import Foundation
import Reactive
import ReactiveTesting
import Sockets
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("The article on deploying", .workerPool)
struct DeployingArticleTests {
  /// Does not wait, and runs what the test checks meanwhile.
  private struct TestClock {
    let check: @Sendable () async throws -> Void

    func sleep(for duration: Duration) async throws { try await check() }
  }

  @Test func `a server that is not ready answers 503, and then closes its clients with 1012`()
    async throws
  {
    var admission = WebSocketAdmission()
    admission.connectionLimit = 50_000
    admission.proxies = TrustedProxies(["127.0.0.1"], header: .xForwardedFor)
    let isReady = BehaviorRelay(value: true)
    let server = try WebSocketServer(admission: admission) { request in
      switch request.path {
      case "/live": .text("ok\n")
      case "/ready": .text("", status: isReady.value ? 200 : 503)
      default: .text("not found\n", status: 404)
      }
    }
    @Sendable func status(of path: String) async throws -> Int? {
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)"))
      return (try await URLSession.shared.data(from: url).1 as? HTTPURLResponse)?.statusCode
    }
    for (path, expected) in [("/live", 200), ("/ready", 200), ("/other", 404)] {
      #expect(try await status(of: path) == expected)
    }
    let (bag, events) = (DisposeBag(), Watched<[WebSocketEvent]>([]))
    let client = WebSocket(server.url)
    client.events.subscribe(onNext: { event in events.update { $0.append(event) } })
      .disposed(by: bag)
    client.connect()
    await events.wait { $0.contains(.connected) }
    let clock = TestClock {
      let answer = try await status(of: "/ready")
      #expect(answer == 503)
    }
    isReady.accept(false)
    // The load balancer needs this time to notice.
    try await clock.sleep(for: .seconds(5))
    await server.shutDown(within: .seconds(10), spreadOver: .seconds(30), code: .serviceRestart)
    await events.wait { $0.contains(.disconnected(code: .serviceRestart, reason: "")) }
  }
}
