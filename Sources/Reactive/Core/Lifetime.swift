import Synchronization

/// What lifetimes and bags hold: a class, so that holding it is one pointer, and a link of the list it
/// is held in, so that entering and leaving cost the same however many there are.
@usableFromInline package class Resource: Disposable, @unchecked Sendable {
  // Protected by the lock of the lifetime that holds this or, once that is closed, touched by the
  // thread that closed it. `preceding` is set while this is in a list; the first one's is the last.
  // The list holds one reference to each of its links; counting more would take most of the time.
  @exclusivity(unchecked) fileprivate final var following: Unmanaged<Resource>?
  @exclusivity(unchecked) fileprivate final var preceding: Unmanaged<Resource>?
  // 0: in use, 2: over; subclasses have values of their own, and put small fields first, which take
  // the room beside it.
  @usableFromInline final let state = Atomic<UInt8>(0)

  #if TRACE_RESOURCES
  @usableFromInline package init() { Resources.incrementTotal() }

  deinit { Resources.decrementTotal() }
  #else
  @usableFromInline package init() {}
  #endif

  @usableFromInline package func dispose() {}

  /// Whether it is over.
  @inlinable package final var isClosed: Bool { state.load(ordering: .relaxed) == 2 }

  /// What a lifetime is to hold when it takes this in: nil when there is nothing to let go of.
  ///
  /// - Parameter container: the lifetime that this leaves when it ends by itself, if it is to.
  func held(leaving container: Lifetime?) -> Resource? { self }

  /// The disposable itself when it is a resource already, or a box around it.
  @usableFromInline static func wrapping(_ disposable: any Disposable) -> Resource {
    // A cast of the value itself takes ten times as long, and one of the type longer than to compare it with
    // what it nearly always is.
    func cast<Wrapped: Disposable>(_ disposable: Wrapped) -> Resource {
      Wrapped.self == ActionDisposable.self || Wrapped.self == Lifetime.self
        || Wrapped.self is Resource.Type
        ? unsafeBitCast(disposable, to: Unmanaged<Resource>.self).takeUnretainedValue()
        : DisposableBox(disposable)
    }
    return cast(disposable)
  }
}

/// The life of one subscription: open until it ends or is disposed of, then closed for good.
///
/// There is one per subscription, not one per operator. It holds what the subscription must let go
/// of, and knows the bag that holds it, which it leaves when it ends.
///
/// An operator that does not pass its source's terminal straight on gives the source a **child**:
/// a lifetime that ends with its parent, or before it.
@usableFromInline package class Lifetime: Resource, Cancelable, @unchecked Sendable {
  // `state` is 2 once this is closed. The fields below and the links of what it holds are touched under the
  // lock of `Lifetime+Lock.swift` or, once closed, only by the thread that closed it.
  @exclusivity(unchecked) private final var isHeld = false
  #if canImport(Darwin)
  // In the room before the next field: no lifetime is larger for it.
  final let gate = Lock()
  #endif
  @exclusivity(unchecked) private final var container: Lifetime?
  @exclusivity(unchecked) private final var first: Unmanaged<Resource>?

  /// A lifetime that ends with `parent` at the latest.
  @usableFromInline package init(parent: Lifetime? = nil) {
    super.init()
    guard let parent else { return }
    isHeld = true
    container = parent
    if parent.link(self) { return }
    container = nil
    state.store(2, ordering: .releasing)
  }

  // A long list must not be released link by link, each within the one before.
  deinit { if first != nil { forgetAll { _ in } } }

  /// Releases what it holds without disposing of it; `forget` is called with each.
  ///
  /// For its last owner.
  @inline(never) final func forgetAll(_ forget: (Resource) -> Void) {
    while let resource = popFirst() { forget(resource) }
  }

  /// Whether nothing more will be delivered.
  @inlinable package final var isDisposed: Bool { isClosed }

  @usableFromInline override package final func dispose() {
    guard close() else { return }
    release()
    didDispose()
  }

  /// What suspends a source that makes elements when it is asked; nil where none does.
  @usableFromInline package var backpressure: Backpressure? { nil }

  /// Called once, on the disposing thread, after everything was let go of; not after an end.
  @usableFromInline package func didDispose() {}

  /// Ends it without `didDispose`; true for the one caller that did.
  @usableFromInline @discardableResult package final func finish() -> Bool {
    guard close() else { return false }
    release()
    return true
  }

  /// Closes it; true for the one caller that did.
  @usableFromInline final func close() -> Bool {
    guard lockIfOpen() else { return false }
    unlockClosed()
    return true
  }

  /// Lets go of everything, in the order it came; for the caller that closed it.
  @usableFromInline final func release() {
    if let container {
      self.container = nil
      container.drop(self)
    }
    while let resource = popFirst() { resource.dispose() }
  }

  /// Itself in the first list it enters, and in another one a box; it leaves them when it ends, if it is to.
  override final func held(leaving container: Lifetime?) -> Resource? {
    guard lockIfOpen() else { return nil }
    let isSecond = isHeld
    if !isSecond { (isHeld, self.container) = (true, container) }
    unlock()
    return isSecond ? boxed(leaving: container) : self
  }

  /// The lifetime that this leaves when it ends.
  final var parent: Lifetime? {
    guard lockIfOpen() else { return nil }
    defer { unlock() }
    return container
  }

  // Apart, and not inlined: nearly every lifetime enters one list.
  @inline(never) private final func boxed(leaving container: Lifetime?) -> Resource {
    let box = DisposableBox(self)
    if let container { add(BoxLeaving(box, container)) }
    return box
  }

  private final func popFirst() -> Resource? {
    guard let resource = first?.takeRetainedValue() else { return nil }
    first = resource.following
    (resource.following, resource.preceding) = (nil, nil)
    return resource
  }
}

// MARK: - What it holds

extension Lifetime {
  /// How many resources it holds: for tests, for it counts them with the lock held.
  package final var count: Int {
    guard lockIfOpen() else { return 0 }
    defer { unlock() }
    var (count, next) = (0, first)
    while let link = next { (count, next) = (count + 1, link.takeUnretainedValue().following) }
    return count
  }

  /// Takes `resource` in; disposes of it at once when this lifetime is closed already.
  @usableFromInline package final func add(_ resource: Resource) { hold(resource, leaving: nil) }

  /// Takes any disposable in.
  @usableFromInline package final func add(_ disposable: any Disposable) {
    add(Resource.wrapping(disposable))
  }

  /// Takes `disposable` in until it ends.
  @usableFromInline package final func insert(_ disposable: any Disposable) {
    hold(Resource.wrapping(disposable), leaving: self)
  }

  private func hold(_ resource: Resource, leaving container: Lifetime?) {
    guard let held = resource.held(leaving: container) else { return }
    if !link(held) { resource.dispose() }
  }

  /// Puts `resource` into the list unless it has ended meanwhile; false when this is closed.
  final func link(_ resource: Resource) -> Bool {
    guard lockIfOpen() else { return false }
    // Whoever ends it on another thread looks for it here after that.
    if !resource.isClosed {
      let link = Unmanaged.passRetained(resource)
      let last = first?.preceding ?? link
      resource.preceding = last
      if first == nil { first = link } else { last.following = link }
      first?.preceding = link
    }
    unlock()
    return true
  }

  /// Takes `resource`, which the caller keeps, out of the list; false when it is not there.
  @discardableResult package final func drop(_ resource: Resource) -> Bool {
    guard lockIfOpen() else { return false }
    let isLinked = resource.preceding != nil
    if let preceding = resource.preceding {
      let (link, following) = (Unmanaged.passUnretained(resource), resource.following)
      if preceding.following == nil { first = following } else { preceding.following = following }
      (following ?? first)?.preceding = preceding
      (resource.following, resource.preceding) = (nil, nil)
      link.release()
    }
    unlock()
    return isLinked
  }

  /// Runs a source of this one's elements in a child of its own, for an operator that does not pass its end straight on.
  ///
  /// `end` is called once, however often the source ends, and after the source was let go of.
  @inlinable package final func run<Element>(
    _ source: (Observer<Element>) -> Void, next: @escaping (Element) -> Void,
    end: @escaping ((any Error)?) -> Void
  ) { source(child().observer(next: next, end: end)) }

  /// Runs a source in a child of its own, as `run` does, without a closure in between for each element.
  ///
  /// - Parameter next: makes what takes an element, which itself asks whether the child is closed.
  @inlinable package final func run<Element>(
    _ source: (Observer<Element>) -> Void, receiving next: (_ child: Lifetime) -> (Element) -> Void,
    end: @escaping ((any Error)?) -> Void
  ) {
    let child = self.child()
    source(Observer(child, next: next(child), end: child.finishing(end)))
  }

  /// An observer whose first end finishes this lifetime and is then passed to `end`; elements do not pass after
  /// that.
  @inlinable package final func observer<Element>(
    next: @escaping (Element) -> Void, end: @escaping ((any Error)?) -> Void
  ) -> Observer<Element> {
    // A closure of the source may have ended it on the way of this very element.
    Observer(self, next: { if !self.isClosed { next($0) } }, end: finishing(end))
  }

  /// Finishes this lifetime, and calls `end` the first time.
  @inlinable final func finishing(_ end: @escaping ((any Error)?) -> Void) -> ((any Error)?) -> Void
  { { if self.finish() { end($0) } } }
}

extension Unmanaged<Resource> {
  fileprivate var following: Unmanaged<Resource>? {
    get { _withUnsafeGuaranteedRef { $0.following } }
    nonmutating set { _withUnsafeGuaranteedRef { $0.following = newValue } }
  }

  fileprivate var preceding: Unmanaged<Resource>? {
    get { _withUnsafeGuaranteedRef { $0.preceding } }
    nonmutating set { _withUnsafeGuaranteedRef { $0.preceding = newValue } }
  }
}
