/// Keeps a traced subscription in the registry: until it ends, or the lifetime that holds this is closed or released.
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

  /// A subscription of its own; its stages count what it delivers.
  convenience init(root lifetime: Lifetime) {
    let record = StreamRegistry.shared.add(
      .capture(), parent: nil, isRoot: true, lifetime: ObjectIdentifier(lifetime))
    self.init(record, lifetime)
  }

  /// A stage of a subscription, made by `callStack`.
  convenience init(_ callStack: CallStack, _ lifetime: Lifetime) {
    let making = Self.making.pointer.map {
      Unmanaged<StreamRecord>.fromOpaque($0).takeUnretainedValue()
    }
    let registry = StreamRegistry.shared
    let parent = registry.parent(of: lifetime, making: making)
    let record = registry.add(callStack, parent: parent, lifetime: ObjectIdentifier(lifetime))
    self.init(record, lifetime)
  }

  // A lifetime that is released without having been closed disposes of nothing.
  deinit { StreamRegistry.shared.remove(record) }

  override func dispose() { StreamRegistry.shared.remove(record) }

  /// An observer that records what passes, and passes it on to `down`.
  func observing<Element>(_ down: Observer<Element>) -> Observer<Element> {
    Observer(
      down.lifetime,
      next: { [record] element in
        record.delivered()
        down.next(element)
      },
      end: { error in
        StreamRegistry.shared.remove(self.record)
        // The lifetime may go on, with what follows this.
        down.lifetime.drop(self)
        if error == nil { return down.end(nil) }
        self.record.fail()
        self.holdingRecord(in: Self.failing) { down.end(error) }
      })
  }

  /// Runs `body`; the stages that it subscribes to have this one as their parent.
  func makes(_ body: () -> Void) { holdingRecord(in: Self.making, body) }

  private func holdingRecord(in slot: ThreadSlot, _ body: () -> Void) {
    withExtendedLifetime(record) {
      slot.holding(Unmanaged.passUnretained(record).toOpaque(), body)
    }
  }
}

/// `run` as a stage that the caller makes; its subscriptions are traced while tracing is on.
///
/// Not inlined: it is rare, and would make each operator larger.
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
  /// The lifetime of a subscription that the caller makes; `disposed` is called when it has ended or was disposed of.
  @inline(never) @usableFromInline static func ofSubscription(_ disposed: (() -> Void)?) -> Lifetime
  {
    let lifetime = if let disposed { ActionDisposable(disposed) } else { Lifetime() }
    if Streams.isTraced { _ = TracedStream(root: lifetime) }
    return lifetime
  }
}
