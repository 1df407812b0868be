import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct WebSocketLogTests {
  @Test func `a line below the level is not even made`() {
    let lines = Locked<[String]>([])
    let log = WebSocketLog(.warning) { level, line in
      lines.withLock { $0.append("\(level) \(line)") }
    }
    func costly() -> String {
      Issue.record("made for nobody")
      return ""
    }
    log.write(.info, costly())
    log.write(.warning, "broken")
    log.write(.error, "over")
    WebSocketLog.none.write(.error, costly())
    #expect(lines.withLock { $0 } == ["warning broken", "error over"])
  }
}
