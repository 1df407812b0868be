import ReactiveTesting
import Sockets

extension SimulatedApp {
  /// Twenty phones that show the lines of a board, and ask for those that they have missed.
  static let phones = SimulatedApp(name: "phones", duration: .seconds(600)) { world in
    world.addBoard(
      phones: (1...20).map { "phone \($0)" }, linesEvery: .seconds(10)...(.seconds(300)))
    // The board forgets its lines when it crashes.
    world.faults(.network(.occasional), .pauses(.rare), .clockSkew)
  }
}

extension AppWorld {
  /// Adds a board and phones that write lines, and the condition that all show all lines in the end.
  func addBoard(phones names: [String], linesEvery interval: ClosedRange<Duration>) {
    let board = machine("board") { _ in try Board() }
    let phones = names.map { name in machine(name) { _ in Phone() } }
    for phone in phones {
      every(interval) { random in
        let number = Int.random(in: 0...999, using: &random)
        phone.perform { $0.write("line \(number) of \(phone.name)") }
      }
    }
    eventually("all show all lines", within: .seconds(60), afterFaultsStop: true) {
      phones.allSatisfy { $0.lines?.value == board.lines?.value }
    }
  }
}

/// Keeps the lines, and sends those that a phone does not have.
private final class Board: Sendable {
  let lines = BehaviorRelay<[String]>(value: [])
  private let server: WebSocketServer
  private let bag = DisposeBag()

  init() throws {
    let server = try WebSocketServer(host: "", port: 8080)
    self.server = server
    server.connections.subscribe(onNext: { [lines, bag, weak server] socket in
      socket.messages.catch { _ in .empty() }.compactMap(\.text)
        .subscribe(onNext: { [weak server] text in
          if let known = Int(text) {
            for (number, line) in lines.value.enumerated().dropFirst(known) {
              try? socket.send(.text("\(number) \(line)"))
            }
          } else {
            server?.broadcast(.text("\(lines.value.count) \(text)"))
            lines.accept(lines.value + [text])
          }
        })
        .disposed(by: bag)
    })
    .disposed(by: bag)
  }
}

/// Shows the lines, and asks for those that it has missed when it connects.
private final class Phone: Sendable {
  let lines = BehaviorRelay<[String]>(value: [])
  private let socket = ReconnectingWebSocket { WebSocket("ws://board:8080/") }
  private let bag = DisposeBag()

  init() {
    socket.messages.compactMap(\.text).subscribe(onNext: { [lines] text in
      let parts = text.split(separator: " ", maxSplits: 1)
      // Another line than the next one has been shown, or is in the answer that follows.
      guard parts.first.flatMap({ Int($0) }) == lines.value.count else { return }
      lines.accept(lines.value + parts.dropFirst().map { String($0) })
    })
    .disposed(by: bag)
    socket.states.filter { $0 == .connected }.subscribe(onNext: { [lines, weak socket] _ in
      try? socket?.send(.text("\(lines.value.count)"))
    })
    .disposed(by: bag)
    socket.connect()
  }

  func write(_ line: String) { try? socket.send(.text(line)) }
}
