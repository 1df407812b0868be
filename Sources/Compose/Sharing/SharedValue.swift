/// A value that several composers share: each declares ``Shared`` for a part of its state.
///
/// ```swift
/// let favorites = SharedValue<Set<Book.ID>>([])
/// let search = Composed(sending: Search(favorites))
/// let profile = Composed(sending: Profile(favorites))
/// ```
///
/// Writes have one order, the same for all composers. A write that was made over an older value than
/// the current one replaces it, unless `merge` joins the two.
///
/// With a ``ValueStorage``, the value is loaded when this is created, and saved after each change.
/// All members may be used on any thread.
public final class SharedValue<Value: Equatable & Sendable>: Sendable {
  /// Returns the value to write in place of `mine`, which was made from `base`, when others have
  /// changed `base` to `theirs`.
  public typealias Merge = @Sendable (_ base: Value, _ mine: Value, _ theirs: Value) -> Value

  private let newest: Locked<SharedChange<Value>>
  private let delivered: BehaviorRelay<SharedChange<Value>>
  private let gate = SerialGate()
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
  /// The value is loaded in this call. When that fails, it is `defaultValue`, and the error is
  /// emitted by ``failures``.
  ///
  /// A change is saved `delay` after it was made, together with those made in the meantime; with
  /// ``flush()``, and when this object is released, at once. The end of the process saves nothing: a
  /// program calls ``flush()`` before it ends.
  ///
  /// - Parameters:
  ///   - defaultValue: value when nothing is stored.
  ///   - storage: place in which the value is kept.
  ///   - delay: time from the first unsaved change to the save; 500 ms by default.
  ///   - scheduler: clock and thread of the saves. By default the virtual time of the test whose
  ///     composer is created here, otherwise a background queue.
  ///   - merge: joins concurrent writes; the last one wins by default.
  public convenience init(
    _ defaultValue: Value, keptIn storage: some ValueStorage<Value>,
    saveDelay delay: Duration = .milliseconds(500), scheduler: (any SchedulerType)? = nil,
    merge: Merge? = nil
  ) {
    let keeper = ValueKeeper(storage, delay, scheduler)
    self.init(keeper.load() ?? defaultValue, keeper: keeper, merge)
  }

  private init(_ value: Value, keeper: ValueKeeper<Value>?, _ merge: Merge?) {
    let first = SharedChange(
      value: value, version: 0, writer: SharedValueWriter(name: "", step: nil))
    newest = Locked(first)
    delivered = BehaviorRelay(value: first)
    (self.keeper, self.merge) = (keeper, merge)
  }

  deinit { keeper?.saveOrReport() }

  // MARK: The value

  /// The current value.
  public var value: Value { current.value }

  /// The current value and each newer one, on the thread that writes it, one at a time.
  ///
  /// It never completes.
  public var values: Observable<Value> { changes.map(\.value) }

  /// Changes the value, for code that is no composer.
  ///
  /// ```swift
  /// favorites.update(by: "sync") { $0.formUnion(received) }
  /// ```
  ///
  /// - Parameters:
  ///   - writer: name of the caller, in the traces of the composers.
  ///   - body: changes a copy of the value. Called on this thread, again when another thread has
  ///     changed the value in the meantime.
  public func update<Failure: Error>(
    by writer: String, _ body: (inout Value) throws(Failure) -> Void
  ) throws(Failure) {
    while true {
      let base = current
      var value = base.value
      try body(&value)
      if value == base.value { return }
      let change = SharedChange(
        value: value, version: base.version + 1, writer: SharedValueWriter(name: writer, step: nil))
      if replace(base, with: change) { return deliver(change) }
    }
  }

  // MARK: Storage

  /// The failures of the storage, on the thread that saves; a new observer receives the last one.
  ///
  /// A failure while nothing observes is reported to ``ComposeHooks``. After a failed save the value
  /// is saved with its next change, and with ``flush()``.
  public var failures: Observable<any Error> { keeper?.failures ?? .never() }

  /// Saves the value now, when it has unsaved changes.
  ///
  /// - Throws: the error of the storage.
  public func flush() throws { try keeper?.save() }

  // MARK: Changes

  /// The newest change.
  var current: SharedChange<Value> { newest.withLock { $0 } }

  /// The delivered changes, beginning with the last one.
  var changes: Observable<SharedChange<Value>> { delivered.asObservable() }

  /// Writes a value of a composer; the caller delivers the returned change.
  ///
  /// - Parameters:
  ///   - value: new value.
  ///   - base: value that was changed into `value`.
  ///   - version: version of `base`.
  func commit(
    _ mine: Value, over base: Value, seen version: Int, by writer: SharedValueWriter,
    of author: ObjectIdentifier
  ) -> SharedChange<Value> {
    while true {
      let theirs = current
      let value = theirs.version == version ? mine : merge?(base, mine, theirs.value) ?? mine
      let change = SharedChange(
        value: value, version: theirs.version + 1, writer: writer, author: author,
        isMerged: value != mine)
      if replace(theirs, with: change) { return change }
    }
  }

  /// Delivers `change` to the composers, unless a newer one was delivered before.
  func deliver(_ change: SharedChange<Value>) {
    gate.run(change) { [delivered] change in
      if change.version > delivered.value.version { delivered.accept(change) }
    }
  }

  private func replace(_ old: SharedChange<Value>, with new: SharedChange<Value>) -> Bool {
    let isReplaced = newest.withLock { newest in
      if newest.version != old.version { return false }
      newest = new
      return true
    }
    if isReplaced { keeper?.saveLater { [newest] in newest.withLock { $0.value } } }
    return isReplaced
  }
}

/// A write of a shared value.
struct SharedChange<Value: Sendable>: Sendable {
  let value: Value
  let version: Int
  let writer: SharedValueWriter
  /// Identifies the composer that has written; nil for other code.
  var author: ObjectIdentifier?
  /// Whether the value is not the one that the composer has written.
  var isMerged = false
}

/// The writer of a shared value, for traces.
struct SharedValueWriter: Sendable {
  let name: String
  /// The step of the composer that has written; nil for other code.
  let step: Int?

  var source: ActionSource { .shared(by: name, step: step) }
}
