/// Keeps a traced subscription in the registry until it ends.
///
/// The release of this object, or the close of the lifetime that holds it, also removes the
/// subscription from the registry.
final class TracedStream: Resource, @unchecked Sendable {
  // Immutable.
  private let record: StreamRecord

  /// The record of the stage that subscribes to its source on the current thread.
  private static let making = ThreadSlot()
  /// The record of the stage that delivers an error on the current thread.
  static let failing = ThreadSlot()

  private init(_ record: StreamRecord, _ lifetime: Lifetime) {
    self.record = record
    super.init()
    lifetime.add(self)
  }

  /// Creates the stream of a subscription itself, which counts the elements of its last stage.
  convenience init(root lifetime: Lifetime) {
    let record = StreamRegistry.shared.add(
      .capture(), parent: nil, isRoot: true, lifetime: ObjectIdentifier(lifetime))
    self.init(record, lifetime)
  }

  /// Creates the stream of a stage, which `callStack` made.
  convenience init(_ callStack: CallStack, _ lifetime: Lifetime) {
    let making = Self.making.pointer.map {
      Unmanaged<StreamRecord>.fromOpaque($0).takeUnretainedValue()
    }
    let registry = StreamRegistry.shared
    let parent = registry.parent(of: lifetime, making: making)
    let record = registry.add(callStack, parent: parent, lifetime: ObjectIdentifier(lifetime))
    self.init(record, lifetime)
  }

  // A lifetime that is released without a close does not dispose of its resources.
  deinit { StreamRegistry.shared.remove(record) }

  override func dispose() { StreamRegistry.shared.remove(record) }

  /// Returns an observer that records the events and passes them on to `down`.
  func observing<Element>(_ down: Observer<Element>) -> Observer<Element> {
    Observer(
      down.lifetime,
      next: { [record] element in
        let now = ContinuousClock.now
        record.delivered(at: now)
        if StreamTaps.isWanted { record.report(.next(element), at: now) }
        down.next(element)
      },
      end: { error in
        if StreamTaps.isWanted {
          self.record.report(error.map { StreamEvent.error($0) } ?? .completed)
        }
        StreamRegistry.shared.remove(self.record)
        // The lifetime may remain open for the sources that follow this one.
        down.lifetime.drop(self)
        if error == nil { return down.end(nil) }
        self.record.fail()
        self.holdingRecord(in: Self.failing) { down.end(error) }
      })
  }

  /// Runs `body`, and makes this stage the parent of the stages that `body` subscribes to.
  func makes(_ body: () -> Void) { holdingRecord(in: Self.making, body) }

  private func holdingRecord(in slot: ThreadSlot, _ body: () -> Void) {
    withExtendedLifetime(record) {
      slot.holding(Unmanaged.passUnretained(record).toOpaque(), body)
    }
  }
}

/// Returns `run` as a traced stage of the caller; subscriptions are traced while tracing is on.
///
/// Not inlined: it is rarely used, and would enlarge each operator.
@inline(never) @usableFromInline func traced<Element>(_ run: @escaping (Observer<Element>) -> Void)
  -> (Observer<Element>) -> Void
{
  let callStack = CallStack.capture()
  return { down in
    guard Streams.isTraced else { return run(down) }
    let stream = TracedStream(callStack, down.lifetime)
    stream.makes { run(stream.observing(down)) }
  }
}

extension Lifetime {
  /// Returns the lifetime of the caller's subscription.
  ///
  /// `disposed` is called when the subscription has ended or is disposed of.
  @inline(never) @usableFromInline static func ofSubscription(_ disposed: (() -> Void)?) -> Lifetime
  {
    let lifetime = if let disposed { ActionDisposable(disposed) } else { Lifetime() }
    if Streams.isTraced { _ = TracedStream(root: lifetime) }
    return lifetime
  }
}
