import Dispatch
import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("Looking names up", .workerPool) struct ResolverTests {
  private let answers = Watched<[String]>([])

  private func ask(_ resolver: Resolver, _ host: String) -> Resolver.Query {
    resolver.find(host, port: 80) { [answers] answer in
      switch answer {
      case .success(let addresses): answers.update { $0 += addresses.map(\.description) }
      case .failure(.hostNotFound(let host, _)): answers.update { $0.append("no \(host)") }
      case .failure(let error): answers.update { $0.append("\(error)") }
      }
    }
  }

  @Test func `a name's addresses come with the port`() async {
    let resolver = Resolver()
    withExtendedLifetime(ask(resolver, "127.0.0.1")) {}
    await answers.wait { $0 == ["127.0.0.1:80"] }
  }

  @Test func `a name that nobody has is an error with that name`() async {
    let resolver = Resolver()
    withExtendedLifetime(ask(resolver, "a..b")) {}
    await answers.wait { $0 == ["no a..b"] }
  }

  @Test func `eight are looked up at once, and who is not wanted any more is not answered`() async {
    let resolver = Resolver()
    let (inside, gate) = (Watched(0), DispatchSemaphore(value: 0))
    // Whoever is told on the thread of the look-up holds it up.
    let slow = (0..<8).map { _ in
      resolver.find("127.0.0.1", port: 1) { _ in
        inside.update { $0 += 1 }
        _ = gate.wait(timeout: .now() + 60)
      }
    }
    await inside.wait { $0 == 8 }
    let unwanted = ask(resolver, "127.0.0.2")
    let last = ask(resolver, "127.0.0.3")
    #expect(answers.value.isEmpty)
    unwanted.cancel()
    for _ in slow { gate.signal() }
    await answers.wait { !$0.isEmpty }
    #expect(answers.value == ["127.0.0.3:80"])
    withExtendedLifetime(last) {}
  }
}
