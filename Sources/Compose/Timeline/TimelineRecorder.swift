/// Records what a composer does, as long as this is held.
///
/// ```swift
/// let recorder = TimelineRecorder(composer.trace)
/// try recorder.timeline.jsonLines().write(to: file, atomically: true, encoding: .utf8)
/// ```
public final class TimelineRecorder<State: Sendable, Action: Sendable>: Sendable {
  private let entries = Locked((kept: Fifo<TraceEvent<State, Action>>(), dropped: 0))
  private let subscription: any Disposable

  /// Records what `trace` tells from now on.
  ///
  /// - Parameters:
  ///   - trace: that of a composer or of a ``Composed``.
  ///   - limit: how many entries are kept; then the oldest are dropped.
  public init(_ trace: Observable<TraceEvent<State, Action>>, limit: Int = 1_000) {
    subscription = trace.subscribe(onNext: { [entries] event in
      // What is dropped is released unlocked.
      let oldest = entries.withLock { entries -> TraceEvent<State, Action>? in
        entries.kept.append(event)
        if entries.kept.count <= limit { return nil }
        entries.dropped += 1
        return entries.kept.popFirst()
      }
      withExtendedLifetime(oldest) {}
    })
  }

  deinit { stop() }

  /// What was recorded until now.
  public var timeline: Timeline<State, Action> {
    entries.withLock { entries in
      Timeline(entries: (0..<entries.kept.count).map { entries.kept[$0] }, dropped: entries.dropped)
    }
  }

  /// Ends the recording; what was recorded stays.
  public func stop() { subscription.dispose() }
}
