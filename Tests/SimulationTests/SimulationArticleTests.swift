import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import simulate

/// The examples of SimulatingApps.md, unchanged; those of its mend are in the simulation of phones.
@Suite("The article on simulations", .workerPool)
struct SimulationArticleTests {
  private enum Chat {
    /// Keeps the lines of a chat, and passes each one to all phones.
    final class Board: Sendable {
      let lines = BehaviorRelay<[String]>(value: [])
      private let server: WebSocketServer
      private let bag = DisposeBag()

      init() throws {
        let server = try WebSocketServer(host: "", port: 8080)
        self.server = server
        server.connections.subscribe(onNext: { [lines, bag, weak server] socket in
          socket.messages.catch { _ in .empty() }.compactMap(\.text)
            .subscribe(onNext: { [weak server] line in
              lines.accept(lines.value + [line])
              server?.broadcast(.text(line))
            })
            .disposed(by: bag)
        })
        .disposed(by: bag)
      }
    }

    /// Shows the lines, and connects again when its connection ends.
    final class Phone: Sendable {
      let lines = BehaviorRelay<[String]>(value: [])
      private let socket = ReconnectingWebSocket { WebSocket("ws://board:8080/") }
      private let bag = DisposeBag()

      init() {
        socket.messages.compactMap(\.text).subscribe(onNext: { [lines] line in
          lines.accept(lines.value + [line])
        })
        .disposed(by: bag)
        socket.connect()
      }

      func write(_ line: String) { try? socket.send(.text(line)) }
    }

    static func setUp(_ world: SimulatedWorld) {
      let board = world.host("board") { _ in try Board() }
      let phones = ["Ann", "Bob"].map { name in world.host(name) { _ in Phone() } }
      for phone in phones {
        world.every(.seconds(1)...(.seconds(20))) { random in
          let number = Int.random(in: 0...999, using: &random)
          phone.perform { $0.write("line \(number) of \(phone.name)") }
        }
      }
      world.faults(.network(.occasional))
      world.eventually("all show all lines", within: .seconds(60), afterFaultsStop: true) {
        phones.allSatisfy { $0.lines?.value == board.lines?.value }
      }
    }
  }

  @Test func `a phone that does not ask for what it has missed is found`() throws {
    let failure = #expect(throws: SimulationFailure.self) {
      try Simulation(seed: 1, for: .seconds(600), Chat.setUp)
    }
    #expect(failure?.problem == .missed("all show all lines", within: .seconds(60)))
    // The first lines of the failure in the article.
    let lines = "\(try #require(failure))".split(separator: "\n").prefix(6).joined(separator: "\n")
    #expect(try article.contains(lines), "\(lines)")
  }

  @Test func `the smallest part that fails is printed in the article`() throws {
    let found = #expect(throws: SimulationFailure.self) {
      try Simulation(seed: 1, for: .seconds(600), Chat.setUp)
    }
    let failure = try #require(found)
    let smallest = Simulation.smallest(failure, Chat.setUp)
    let test = smallest.swiftTest(setUp: "Chat.setUp")
    #expect(try article.contains("\(smallest)\n"), "\(smallest)")
    #expect(try article.contains("\(test)\n"), "\(test)")
  }

  @Test(arguments: seeds(20))
  func `a phone that asks for what it has missed shows all lines`(seed: UInt64) throws {
    try Simulation(seed: seed, for: .seconds(600)) { world in
      world.addBoard(phones: ["Ann", "Bob"], linesEvery: .seconds(1)...(.seconds(20)))
      world.faults(.network(.occasional))
    }
  }

  private var article: String {
    get throws {
      let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
      let path = "Sources/ReactiveTesting/ReactiveTesting.docc/SimulatingApps.md"
      return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
  }

  @Test func `every block of code in the article is in a test`() throws {
    func lines(_ text: some StringProtocol) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let files = ["SimulationArticleTests", "OrderTests", "../Simulate/Apps/PhonesSimulation"]
    let tests = try files.map { name in
      lines(try String(contentsOf: folder.appending(path: "\(name).swift"), encoding: .utf8))
    }
    .joined()
    let blocks = try article.matches(of: /```swift\n((?:.|\n)*?)\n```/)
    #expect(blocks.count >= 4)
    for block in blocks where !tests.contains(lines(block.1)) {
      Issue.record("No test has:\n\(block.1)")
    }
  }
}
