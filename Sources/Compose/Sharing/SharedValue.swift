import Synchronization

/// A value that several composers share: each has a ``Shared`` part of its state, and a ``Sharing``.
///
/// ```swift
/// let favorites = SharedValue<Set<Book.ID>>([])
/// let search = Composed(sending: Search(favorites))
/// let profile = Composed(sending: Profile(favorites))
/// ```
///
/// Writes have one order, the same for all composers. A write that was made from an older value than
/// the current one replaces it, unless `merge` joins the two.
///
/// With a ``ValueStorage``, the value is loaded when this is created, and saved after each change.
/// All members may be used on any thread.
public final class SharedValue<Value: Equatable & Sendable>: Sendable {
  /// Returns the value to write in place of `mine`, which was made from `base`, when others have
  /// changed `base` to `theirs`.
  ///
  /// Called where a composer reduces. It may be called again when others write in the meantime.
  public typealias Merge = @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value

  private struct Content {
    var newest: SharedChange<Value>
    var deliveredVersion: Int
    var isDelivering = false
    var subscriptions: IdentifiedArray<SharedSubscription> = []

    /// Replaces the newest change, or only if it is `old`, and returns the composers; nil if it is
    /// another one.
    mutating func replace(
      _ old: SharedChange<Value>?, with new: SharedChange<Value>
    ) -> IdentifiedArray<SharedSubscription>? {
      if let old, newest.version != old.version { return nil }
      newest = new
      return subscriptions
    }
  }

  private let content: Locked<Content>
  private let delivered: BehaviorRelay<Value>
  private let merge: Merge?
  private let keeper: ValueKeeper<Value>?

  /// A value that is not kept.
  ///
  /// - Parameters:
  ///   - initialValue: value of the first composer's first state.
  ///   - merge: joins concurrent writes; the last one wins by default.
  public convenience init(_ initialValue: Value, merge: Merge? = nil) {
    self.init(initialValue, keeper: nil, merge)
  }

  /// A value that is kept in `storage`.
  ///
  /// ```swift
  /// let settings = SharedValue(Settings(), keptIn: FileStorage(url))
  /// ```
  ///
  /// The value is loaded in this call. When that fails, it is `defaultValue`, and it is loaded again
  /// before the first save: the stored value is not replaced by one that was made without it. When that
  /// succeeds, `merge` joins the stored value with the changes since then, made from `defaultValue`;
  /// without a `merge`, the stored value replaces them. A composer has it by a step whose source names
  /// the writer `storage`.
  ///
  /// A change is saved `saveDelay` after it was made, together with those made in the meantime; with
  /// ``flush()``, and when this object is released, at once. The end of the process saves nothing: a
  /// program calls ``flush()`` before it ends. After a failure the value is saved again, at first after
  /// another delay of half a second or more, and then each minute.
  ///
  /// - Parameters:
  ///   - defaultValue: value when nothing is stored.
  ///   - storage: place in which the value is kept.
  ///   - saveDelay: time from the first unsaved change to the save; 500 ms by default.
  ///   - scheduler: clock and thread of the saves. By default the virtual time of the test whose
  ///     composer is created here, otherwise a background queue.
  ///   - merge: joins concurrent writes; the last one wins by default.
  ///   - onFailure: called with the errors of the storage, also of this call, on the thread that loads
  ///     or saves; ``ComposeHooks`` by default. Not called with the same error again before a save has
  ///     succeeded, nor with one that ``flush()`` throws.
  public convenience init(
    _ defaultValue: Value, keptIn storage: some ValueStorage<Value>,
    saveDelay: Duration = .milliseconds(500), scheduler: (any SchedulerType)? = nil,
    merge: Merge? = nil, onFailure: (@Sendable (any Error) -> Void)? = nil
  ) {
    let keeper = ValueKeeper(storage, saveDelay, scheduler, onFailure)
    self.init(keeper.load() ?? defaultValue, keeper: keeper, merge)
  }

  private init(_ value: Value, keeper: ValueKeeper<Value>?, _ merge: Merge?) {
    let first = SharedChange(value: value, writer: nil)
    content = Locked(Content(newest: first, deliveredVersion: first.version))
    delivered = BehaviorRelay(value: value)
    (self.keeper, self.merge) = (keeper, merge)
    // This object is released before the last save.
    keeper?.begin(
      .init(
        newest: { [content] in content.withLock { $0.newest.value } },
        join: { [content] stored in Self.join(stored, first, content, merge) },
        deliver: { [weak self] in self?.deliver() }))
  }

  deinit { keeper?.close() }

  // MARK: The value

  /// The current value.
  public var value: Value { current.value }

  /// The last delivered value and each newer one, one at a time, on a thread that writes; never
  /// completes.
  ///
  /// A write during a delivery is delivered after it, and of several such writes the last one.
  public var values: Observable<Value> { delivered.asObservable() }

  /// Changes the value, for code that is no composer.
  ///
  /// ```swift
  /// favorites.update(by: "sync") { $0.formUnion(received) }
  /// ```
  ///
  /// `body` changes its copy, and does not write the value in another way, such as by sending to a
  /// composer that writes it. A write that it makes nevertheless is joined by `merge` as that of another
  /// writer; without a `merge` it is replaced, and reported to ``ComposeHooks``.
  ///
  /// - Parameters:
  ///   - writer: name of the caller, in the traces of the composers.
  ///   - body: changes a copy of the value. Called on this thread, again when another thread has
  ///     changed the value in the meantime.
  public func update<Failure: Error>(
    by writer: String, _ body: (inout Value) throws(Failure) -> Void
  ) throws(Failure) {
    let writer = SharedValueWriter(name: writer, step: nil)
    while true {
      let base = current
      var value = base.value
      let nested = try PendingWrite.calling(for: content) { () throws(Failure) in try body(&value) }
      if value == base.value { return }
      if let nested {
        // Called again, `body` would write again.
        if merge == nil { PendingWrite.report(nested, inside: writer) }
        _ = commit(value, over: base.value, base.version, by: writer, from: nil)
        return deliver()
      }
      if replace(base, with: SharedChange(value: value, writer: writer), from: nil) {
        return deliver()
      }
    }
  }

  /// Returns a value of its own, which is not kept, with the same `merge`.
  func copy(with value: Value) -> SharedValue { SharedValue(value, keeper: nil, merge) }

  /// Replaces the first value, unless a write has replaced it; returns whether it did.
  func begin(with value: Value) -> Bool {
    let composers = content.withLock { content in
      content.newest.writer == nil
        ? content.replace(nil, with: SharedChange(value: value, writer: nil)) : nil
    }
    for subscription in composers ?? [] { subscription.markStale() }
    return composers != nil
  }

  /// Saves the value now, when it has unsaved changes.
  ///
  /// - Throws: the error of the storage.
  public func flush() throws { try keeper?.flush() }

  // MARK: Composers

  /// The newest change.
  var current: SharedChange<Value> { content.withLock { $0.newest } }

  func add(_ subscription: SharedSubscription) {
    _ = content.withLock { $0.subscriptions.append(subscription) }
  }

  func remove(_ subscription: SharedSubscription) {
    _ = content.withLock { $0.subscriptions.remove(id: subscription.id) }
  }

  /// Writes a value of a composer.
  ///
  /// The caller calls ``deliver()`` after its step.
  ///
  /// - Parameters:
  ///   - value: new value.
  ///   - base: value that was changed into `value`.
  ///   - version: version of `base`.
  ///   - subscription: subscription of the composer.
  func commit(
    _ mine: Value, over base: Value, _ version: Int, by writer: SharedValueWriter,
    from subscription: SharedSubscription?
  ) -> SharedChange<Value> {
    while true {
      let theirs = current
      var value = mine
      var nested: SharedValueWriter?
      if let merge, theirs.version != version {
        nested = PendingWrite.calling(for: content) { value = merge(base, mine, theirs.value) }
      }
      if let nested { PendingWrite.report(nested, inside: writer) }
      let change = SharedChange(value: value, writer: writer)
      // Called again, a merge that has written would write again.
      let old = nested == nil ? theirs : nil
      if replace(old, with: change, from: subscription) { return change }
    }
  }

  /// Joins a stored value that could not be loaded before with the changes since.
  ///
  /// Part of no object, because the last one is made when the shared value is released.
  private static func join(
    _ stored: Value, _ first: SharedChange<Value>, _ content: Locked<Content>, _ merge: Merge?
  ) {
    while true {
      let mine = content.withLock { $0.newest }
      var value = stored
      var nested: SharedValueWriter?
      if let merge, mine.version != first.version {
        nested = PendingWrite.calling(for: content) {
          value = merge(first.value, mine.value, stored)
        }
      }
      let writer = SharedValueWriter(name: "storage", step: nil)
      if let nested { PendingWrite.report(nested, inside: writer) }
      let change = SharedChange(value: value, writer: writer)
      let old = nested == nil ? mine : nil
      guard let others = content.withLock({ $0.replace(old, with: change) }) else { continue }
      for subscription in others { subscription.markStale() }
      return
    }
  }

  /// Replaces the newest change, or only if it is `old`, and marks the composers but the writer;
  /// returns false if it is another one.
  private func replace(
    _ old: SharedChange<Value>?, with new: SharedChange<Value>, from writer: SharedSubscription?
  ) -> Bool {
    guard let others = content.withLock({ $0.replace(old, with: new) }) else { return false }
    if let writer = new.writer { PendingWrite.note(writer, to: content) }
    for subscription in others where subscription !== writer { subscription.markStale() }
    keeper?.saveLater()
    return true
  }

  /// Delivers the newest value to the observers, and wakes the composers.
  ///
  /// During a delivery, on any thread, this leaves the value to the thread that delivers. That thread
  /// may have taken it before the composers were marked: the writer itself wakes them.
  func deliver() {
    while let value = beginDelivering() {
      delivered.accept(value)
      content.withLock { $0.isDelivering = false }
    }
    for subscription in content.withLock({ $0.subscriptions }) { subscription.wake() }
  }

  private func beginDelivering() -> Value? {
    content.withLock { content in
      if content.isDelivering || content.deliveredVersion == content.newest.version { return nil }
      content.isDelivering = true
      content.deliveredVersion = content.newest.version
      return content.newest.value
    }
  }
}

/// A write of a shared value.
struct SharedChange<Value: Sendable>: Sendable {
  let value: Value
  /// Identifies the write among those of all shared values: a state may pass from one to another.
  let version = lastVersion.wrappingAdd(1, ordering: .relaxed).newValue
  /// Nil for the first value.
  let writer: SharedValueWriter?
}

private let lastVersion = Atomic(0)

/// The writer of a shared value, for traces.
struct SharedValueWriter: Sendable {
  let name: String
  /// The step of the composer that has written; nil for other code.
  let step: Int?

  var source: ActionSource { .shared(by: name, step: step) }
}
