/// The limit of a bounded mailbox, and the senders that wait until it has room.
///
/// The lock of its store protects it.
@usableFromInline final class MailboxLimit: @unchecked Sendable {
  let count: Int
  let overflow: BufferingPolicy.Overflow
  var droppedCount = 0
  private var senders: [WaitingSender] = []

  private init(_ count: Int, _ overflow: BufferingPolicy.Overflow) {
    (self.count, self.overflow) = (max(1, count), overflow)
  }

  /// Returns nil for an unbounded mailbox.
  static func of(_ policy: BufferingPolicy) -> MailboxLimit? {
    guard case .bounded(let count, let overflow) = policy else { return nil }
    return MailboxLimit(count, overflow)
  }

  var senderCount: Int { senders.count }

  func add(_ sender: WaitingSender) { senders.append(sender) }

  func remove(_ sender: WaitingSender) -> WaitingSender? {
    senders.firstIndex { $0 === sender }.map { senders.remove(at: $0) }
  }

  /// Removes and returns the sender that has waited longest, if the mailbox has room.
  func next(pending: Int) -> WaitingSender? {
    pending < count && !senders.isEmpty ? senders.removeFirst() : nil
  }
}

/// A task that waits to send.
final class WaitingSender: @unchecked Sendable {
  let send: @Sendable () -> Void
  // Written once, before the sender is added.
  var continuation: CheckedContinuation<Void, any Error>?

  init(_ send: @escaping @Sendable () -> Void) { self.send = send }
}

extension StoreCore {
  /// The number of items from which on an unbounded mailbox is reported, once.
  static var longMailbox: Int { 100_000 }

  /// The number of items from which on the mailbox is full or long; the caller holds the lock.
  @usableFromInline final var fullThreshold: Int {
    mailboxLimit?.count ?? (isReportedLong ? .max : Self.longMailbox)
  }

  /// Notes that the mailbox is reported as long; the caller holds the lock.
  fileprivate final func noteLong() {
    isReportedLong = true
    if mailboxThreshold != 0 { mailboxThreshold = fullThreshold }
  }

  /// Begins or ends the care for items by the tools; called where the composer reduces.
  final func attend() {
    isAttended = mailboxLimit != nil || tool != nil || isOnHost
    lock.withLock { mailboxThreshold = tool == nil ? fullThreshold : 0 }
  }

  /// The number of items that wait to be handled.
  final var pending: Int { lock.withLock { pendingCount } }

  /// The number of actions that a full mailbox has dropped.
  final var dropped: Int { lock.withLock { mailboxLimit?.droppedCount ?? 0 } }

  /// Calls `send` when a mailbox that suspends its senders has room; at once for others.
  final func whenReady(_ send: @escaping @Sendable () -> Void) async throws {
    try Task.checkCancellation()
    guard let limit = mailboxLimit, limit.overflow == .suspend else { return send() }
    let sender = WaitingSender(send)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        sender.continuation = continuation
        let isWaiting = lock.withLock {
          // A task that is cancelled later finds the sender in the list.
          let hasRoom = pendingCount < limit.count && limit.senderCount == 0
          if hasRoom || Task.isCancelled { return false }
          limit.add(sender)
          return true
        }
        if isWaiting { return }
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          send()
          continuation.resume()
        }
      }
    } onCancel: {
      lock.withLock { limit.remove(sender) }?.continuation?.resume(throwing: CancellationError())
    }
  }

  /// Sends for the sender that has waited longest, if the mailbox has room, and resumes it.
  ///
  /// Here, in the drain, because the resumed tasks would send in any order.
  @usableFromInline final func resumeSender() {
    guard let sender = lock.withLock({ mailboxLimit?.next(pending: pendingCount) }) else { return }
    sender.send()
    sender.continuation?.resume()
  }
}

extension Store {
  /// Appends `item` to a mailbox that is full, or so long that it is reported.
  ///
  /// The caller holds the lock; this releases it.
  @usableFromInline func enqueueBeyondThreshold(_ item: MailboxItem, _ isOnExecutor: Bool) {
    guard let limit = mailboxLimit else {
      noteLong()
      let count = mailbox.count
      append(item, isOnExecutor)
      return report(.mailboxIsLong(composer: name, count: count))
    }
    guard item.isFromOutside, limit.overflow != .suspend else { return append(item, isOnExecutor) }
    if limit.overflow == .dropOldest {
      let dropped = mailbox.removeFirst(where: \.isFromOutside)
      if dropped != nil { limit.droppedCount += 1 }
      append(item, isOnExecutor)
      // Released here, outside the lock.
      return withExtendedLifetime(dropped) {}
    }
    limit.droppedCount += 1
    lock.unlock()
    if limit.overflow == .fail {
      report(.mailboxIsFull(composer: name, action: item.description))
    }
  }
}

extension Composer {
  /// The number of actions, and of writes of the state, that wait; 0 while the composer is not bound.
  public var pendingActionCount: Int { (action.attached as? StoreCore)?.pending ?? 0 }
}

extension Composed {
  /// The number of actions, and of writes of the state, that wait.
  public var pendingActionCount: Int { (actions.attached as? StoreCore)?.pending ?? 0 }

  /// The number of actions that were dropped because the ``Composer/mailbox`` was full.
  public var droppedActionCount: Int { (actions.attached as? StoreCore)?.dropped ?? 0 }

  /// The number of tasks that wait to send.
  package var waitingSenderCount: Int {
    guard let store = actions.attached as? StoreCore else { return 0 }
    return store.lock.withLock { store.mailboxLimit?.senderCount ?? 0 }
  }

  /// Sends `action` when the ``Composer/mailbox`` has room; at once, unless its policy is `.suspend`.
  ///
  /// Tasks that wait send in the order of their calls.
  ///
  /// - Throws: `CancellationError` when the task is cancelled before the action is sent.
  public func sendWhenReady(_ action: Action) async throws {
    guard let store = actions.attached as? StoreCore else { return send(action) }
    try await store.whenReady { [actions] in actions.accept(action) }
  }
}
