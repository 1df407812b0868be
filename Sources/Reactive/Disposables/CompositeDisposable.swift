import Synchronization

/// Holds several disposables and disposes of them in the order of their insertion.
///
/// It holds each disposable until its removal, even after the end of the disposable. A
/// ``DisposeBag`` removes a subscription that has ended.
public final class CompositeDisposable: Cancelable {
  /// A key that removes one disposable.
  public struct DisposeKey: Sendable { fileprivate let place: CompositePlace }

  private let held = Lifetime()
  private let number = Atomic(0)

  /// Creates a composite that holds `disposables`.
  public init(disposables: [any Disposable]) { for each in disposables { _ = insert(each) } }

  /// Creates a composite that holds `disposables`; none by default.
  public convenience init(_ disposables: any Disposable...) { self.init(disposables: disposables) }

  // The places are emptied, because a key that outlives this composite must not keep a disposable.
  deinit { held.forgetAll { _ = unsafeDowncast($0, to: CompositePlace.self).take() } }

  /// Whether this composite is disposed of.
  public var isDisposed: Bool { held.isDisposed }

  /// The number of disposables it holds.
  public var count: Int { isDisposed ? 0 : number.load(ordering: .relaxed) }

  /// Holds `disposable`, or disposes of it at once when this composite is disposed of.
  ///
  /// - Returns: a key for `remove(for:)`; nil when this composite is disposed of
  public func insert(_ disposable: any Disposable) -> DisposeKey? {
    let place = CompositePlace(disposable, in: self)
    guard held.link(place) else {
      disposable.dispose()
      return nil
    }
    number.add(1, ordering: .relaxed)
    return DisposeKey(place: place)
  }

  /// Removes the disposable of `disposeKey` and disposes of it.
  ///
  /// A second call with the same key does nothing, and neither does a key of another composite.
  public func remove(for disposeKey: DisposeKey) {
    let place = disposeKey.place
    guard place.owner == ObjectIdentifier(self), let disposable = place.take() else { return }
    held.drop(place)
    number.subtract(1, ordering: .relaxed)
    disposable.dispose()
  }

  /// Disposes of all contents now, and of each later insertion at once.
  public func dispose() { held.dispose() }
}

/// The place of a disposable in a composite, and the link in the composite's list.
private final class CompositePlace: Resource, @unchecked Sendable {
  // Only the thread that changes `state` from 0 to 2 may touch `held`.
  @exclusivity(unchecked) private var held: (any Disposable)?
  // Immutable.
  let owner: ObjectIdentifier

  init(_ disposable: any Disposable, in owner: CompositeDisposable) {
    held = disposable
    self.owner = ObjectIdentifier(owner)
    super.init()
  }

  /// Removes and returns the disposable; nil after the first call.
  func take() -> (any Disposable)? {
    if state.exchange(2, ordering: .acquiringAndReleasing) == 2 { return nil }
    defer { held = nil }
    return held
  }

  override func dispose() { take()?.dispose() }
}
