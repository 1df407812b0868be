/// Records a composer's trace, until the recorder is stopped or released.
///
/// ```swift
/// let recorder = TimelineRecorder(composer.trace)
/// try recorder.timeline.jsonLines().write(to: file, atomically: true, encoding: .utf8)
/// ```
public final class TimelineRecorder<State: Sendable, Action: Sendable>: Sendable {
  private let entries = Locked((kept: Fifo<TraceEvent<State, Action>>(), dropped: 0))
  private let subscription: any Disposable

  /// Starts to record.
  ///
  /// - Parameters:
  ///   - trace: trace of a composer or of a ``Composed``.
  ///   - limit: maximum number of entries; past it the oldest are dropped. 1,000 by default.
  public init(_ trace: Observable<TraceEvent<State, Action>>, limit: Int = 1_000) {
    subscription = trace.subscribe(onNext: { [entries] event in
      let oldest = entries.withLock { entries -> TraceEvent<State, Action>? in
        entries.kept.append(event)
        if entries.kept.count <= limit { return nil }
        entries.dropped += 1
        return entries.kept.popFirst()
      }
      // Released here, outside the lock.
      withExtendedLifetime(oldest) {}
    })
  }

  deinit { stop() }

  /// The events that were recorded until now.
  public var timeline: Timeline<State, Action> {
    entries.withLock { entries in
      Timeline(entries: (0..<entries.kept.count).map { entries.kept[$0] }, dropped: entries.dropped)
    }
  }

  /// Stops recording; the recorded events remain in ``timeline``.
  public func stop() { subscription.dispose() }
}
