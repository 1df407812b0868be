import ReactiveTesting
import Sockets

extension SimulatedApp {
  /// Sockets of all kinds and a server with several services.
  static let sockets = SimulatedApp(name: "sockets", duration: .seconds(150)) { world in
    let hosts = SocketHosts(
      server: world.machine("server") { _ in try HubServer() },
      talker: world.machine("talker") { _ in Talker() },
      reader: world.machine("reader") { _ in NewsReader() },
      uploader: world.machine("uploader") { _ in Uploader() },
      visitor: world.machine("visitor") { _ in Visitor() },
      asker: world.machine("asker") { _ in Asker() })
    let quiet = QuietTime(hosts)
    quiet.addActions(to: world)
    world.everyFault()
    for rule in Talker.rules {
      world.always(rule) { hosts.talker.program?.fault != rule }
    }
    for rule in Asker.rules {
      world.always(rule) { hosts.asker.program?.fault != rule }
    }
    world.always("news are read in order") { hosts.reader.isOrdered ?? true }
    world.always("what came before the close is received") {
      hosts.visitor.hasMissedGreeting != true
    }
    world.always("a server that is closed has no connections") {
      hosts.server.hasConnectionsAfterClose != true
    }
    world.always("a server without connections holds no messages") {
      hosts.server.holdsMessagesAfterClose != true
    }
    for step in quiet.steps {
      world.always(step.name) { quiet.missed != step.name }
    }
    world.eventually("all steps", within: .seconds(2_400), afterFaultsStop: true) { quiet.goOn() }
  }
}

extension Talker {
  static let rules = [
    "the first event is the connection", "no peer breaks the protocol", "the greeting is first",
    "the echo is in order", "nothing is heard after the drop", "a socket that was left ends",
  ]
}

extension Asker {
  static let rules = [
    "a message has one outcome", "a message has an outcome", "an answer belongs to its question",
    "nothing is taken while a connection is resumed", "a question ends once",
  ]
}

struct SocketHosts {
  let server: any AppHost<HubServer>
  let talker: any AppHost<Talker>
  let reader: any AppHost<NewsReader>
  let uploader: any AppHost<Uploader>
  let visitor: any AppHost<Visitor>
  let asker: any AppHost<Asker>
}

/// What happens when nothing is broken any more, step by step, each within its time.
final class QuietTime {
  struct Step {
    let name: String
    /// In tenths of a second.
    let limit: Int
    let begin: () -> Void
    let hasEnded: () -> Bool
  }

  private let hosts: SocketHosts
  private(set) var steps: [Step] = []
  private var current = -1
  private var time = 0
  private(set) var missed: String?

  init(_ hosts: SocketHosts) {
    self.hosts = hosts
    let (server, talker, reader) = (hosts.server, hosts.talker, hosts.reader)
    let (uploader, asker) = (hosts.uploader, hosts.asker)
    // A reader whose server was lost asks after five minutes.
    var read = 0
    let beginConnecting = { read = reader.total ?? 0 }
    let connected = {
      if talker.isConnected == false { talker.perform { $0.open() } }
      return talker.isGreeted != false && (reader.total ?? .max) > read
        && uploader.areConnected != false && asker.areConnected != false
    }
    let busy = { (uploader: Uploader) in
      uploader.setBusy(true)
      for _ in 0..<200 { uploader.sendWork(5_000) }
    }
    steps = [
      // What was sent while a link was cut may be sent again only a minute later, such as an end.
      Step(name: "all are connected", limit: 4_000, begin: beginConnecting) { [unowned self] in
        time > 1_000 && connected()
      },
      Step(name: "each echo returns in time", limit: 50) {
        talker.perform { $0.beginRound() }
      } hasEnded: {
        talker.hasFinishedRound != false
      },
      Step(name: "a file is stored in time", limit: 50) {
        uploader.perform { $0.storeFile(blocks: 3) }
      } hasEnded: {
        uploader.isFileStored != false
      },
      Step(name: "all is answered in time", limit: 150) {
        uploader.perform { $0.upload([60_000, 40_000, 50_000, 45_000, 60_000, 33_000]) }
      } hasEnded: {
        (uploader.waiting ?? 0) == 0 && asker.open?.isEmpty != false
      },
      // Neither side of the work takes anything any more.
      Step(name: "who takes nothing is dropped", limit: 1_500) {
        reader.perform { $0.leave() }
        uploader.perform(busy)
      } hasEnded: {
        (reader.socket??.state ?? .disconnected) == .disconnected
          && (uploader.work?.state ?? .disconnected) == .disconnected
      },
      Step(name: "all are connected again", limit: 600) {
        beginConnecting()
        reader.perform { $0.comeBack() }
        uploader.perform { $0.setBusy(false) }
      } hasEnded: {
        connected()
      },
      // The answers fill the window of who does not take them.
      Step(name: "answers to work are not taken", limit: 600) {
        uploader.perform { $0.setBusy(true) }
      } hasEnded: { [unowned self] in
        time > 150
      },
      Step(name: "a server without power is noticed", limit: 700) {
        server.losePower()
        uploader.perform(busy)
      } hasEnded: {
        talker.isConnected != true
      },
      Step(name: "a server without power is noticed by who waits for it", limit: 4_000) {
      } hasEnded: {
        uploader.work?.state != .connected
      },
      Step(name: "all are connected in the end", limit: 4_000) {
        beginConnecting()
        uploader.perform { $0.setBusy(false) }
        server.startProgram()
      } hasEnded: {
        connected()
      },
    ]
  }

  /// What users do until then.
  func addActions(to world: any AppWorld) {
    let hosts = hosts
    func every(
      _ seconds: ClosedRange<Duration>,
      _ body: @escaping (inout any RandomNumberGenerator) -> Void
    ) {
      world.every(seconds) { [self] random in if current < 0 { body(&random) } }
    }
    every(.milliseconds(100)...(.seconds(3))) { random in
      let choice = Int.random(in: 0..<16, using: &random)
      let size = Int.random(in: 0..<1_000, using: &random)
      hosts.talker.perform { $0.act(choice, size) }
    }
    every(.seconds(2)...(.seconds(60))) { random in
      let isLeaving = Bool.random(using: &random)
      hosts.reader.perform { isLeaving ? $0.leave() : $0.comeBack() }
    }
    every(.milliseconds(200)...(.seconds(4))) { random in
      let sizes = (0..<3).map { _ in Int.random(in: 0..<60_000, using: &random) }
      hosts.uploader.perform {
        $0.upload(sizes)
        $0.sendWork(sizes[0])
      }
    }
    every(.seconds(2)...(.seconds(60))) { random in
      let isBusy = Bool.random(using: &random)
      hosts.uploader.perform { $0.setBusy(isBusy) }
    }
    every(.milliseconds(100)...(.seconds(6))) { random in
      let delay = Int.random(in: 0..<2_000, using: &random)
      hosts.visitor.perform { $0.visit(after: delay) }
    }
    every(.milliseconds(100)...(.seconds(4))) { random in
      let choice = Int.random(in: 0..<12, using: &random)
      hosts.asker.perform { $0.act(choice) }
    }
    every(.seconds(10)...(.seconds(60))) { random in
      let seconds = Int.random(in: 0..<30, using: &random)
      hosts.server.perform { $0.restart(over: seconds) }
    }
  }

  /// Begins the next step when the current one has ended; returns whether all have.
  func goOn() -> Bool {
    time += 1
    guard current >= 0 else { return begin(0) }
    let step = steps[current]
    if step.hasEnded() { return begin(current + 1) }
    if time > step.limit { missed = step.name }
    return false
  }

  private func begin(_ index: Int) -> Bool {
    (current, time) = (index, 0)
    guard index < steps.count else { return true }
    if index == 0 {
      hosts.reader.perform { $0.comeBack() }
      hosts.uploader.perform { $0.setBusy(false) }
    }
    steps[index].begin()
    return false
  }
}
