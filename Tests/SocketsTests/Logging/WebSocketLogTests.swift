import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct WebSocketLogTests {
  @Test func `a line below the log level is not created`() {
    let lines = Locked<[String]>([])
    let log = WebSocketLog(.warning) { level, line in
      lines.withLock { $0.append("\(level) \(line)") }
    }
    func costly() -> String {
      Issue.record("the line was created")
      return ""
    }
    log.write(.info, costly())
    log.write(.warning, "broken")
    log.write(.error, "over")
    WebSocketLog.none.write(.error, costly())
    #expect(lines.withLock { $0 } == ["warning broken", "error over"])
  }

  @Test func `text of a peer starts no log line and contains no terminal control characters`() {
    let lines = Locked<[String]>([])
    let log = WebSocketLog { _, line in lines.withLock { $0.append(line) } }
    log.write(.info, "closed, 1000 bye\n[error] forged\u{1B}[2J\u{2028}\u{202E}")
    log.write(.info, "J\u{FC}rgen \u{1F468}\u{200D}\u{1F469}")
    #expect(
      lines.withLock { $0 } == [
        #"closed, 1000 bye\n[error] forged\u{1B}[2J\u{2028}\u{202E}"#,
        "J\u{FC}rgen \u{1F468}\u{200D}\u{1F469}",
      ])
  }
}
