import Reactive

/// What happened, in order; written to from any thread.
final class Log<Entry>: @unchecked Sendable {
  // The box has a lock of its own.
  private let box = Locked<[Entry]>([])

  var entries: [Entry] { box.withLock { $0 } }
  var count: Int { box.withLock { $0.count } }

  func append(_ entry: Entry) { box.withLock { $0.append(entry) } }
}

extension ObservableType where Element: Sendable {
  /// Subscribes, and writes every event down as text: `1`, `|` for the completion, `x` for an error.
  func write(to log: Log<String>, _ prefix: String = "") -> any Disposable {
    subscribe(
      onNext: { log.append("\(prefix)\($0)") },
      onError: { _ in log.append("\(prefix)x") },
      onCompleted: { log.append("\(prefix)|") }
    )
  }

  /// What this emits while it is subscribed, as text: `1 2 |`.
  func written() -> String {
    let log = Log<String>()
    write(to: log).dispose()
    return log.entries.joined(separator: " ")
  }
}
