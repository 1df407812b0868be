import Reactive

/// Records events of any thread in their order.
package final class EventRecorder<Event>: @unchecked Sendable {
  // `recorded` has its own lock.
  private let recorded = Locked<[Event]>([])

  /// Creates a recorder without events.
  package init() {}

  /// The events so far.
  package var events: [Event] { recorded.withLock { $0 } }

  /// The number of events so far.
  package var count: Int { recorded.withLock { $0.count } }

  /// Adds an event.
  package func append(_ event: Event) { recorded.withLock { $0.append(event) } }
}

extension ObservableType where Element: Sendable {
  /// Subscribes, and records each event as text: `1` for an element, `|` for the completion, `x`
  /// for an error.
  package func record(in recorder: EventRecorder<String>, _ prefix: String = "") -> any Disposable {
    subscribe(
      onNext: { recorder.append("\(prefix)\($0)") },
      onError: { _ in recorder.append("\(prefix)x") },
      onCompleted: { recorder.append("\(prefix)|") }
    )
  }

  /// Returns the events that the observable emits during a subscribe call, as text: `1 2 |`.
  package func recorded() -> String {
    let recorder = EventRecorder<String>()
    record(in: recorder).dispose()
    return recorder.events.joined(separator: " ")
  }
}
