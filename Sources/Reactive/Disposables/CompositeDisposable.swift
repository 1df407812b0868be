import Synchronization

/// Disposes of all that it holds, in the order it came.
///
/// It holds what it was given until that is removed, ended or not; a ``DisposeBag`` lets go of what
/// ends.
public final class CompositeDisposable: Cancelable {
  /// Names a disposable inside.
  public struct DisposeKey: Sendable { fileprivate let place: CompositePlace }

  private let held = Lifetime()
  private let number = Atomic(0)

  /// Holds `disposables`.
  public init(disposables: [any Disposable]) { for each in disposables { _ = insert(each) } }

  /// Holds `disposables`; none by default.
  public convenience init(_ disposables: any Disposable...) { self.init(disposables: disposables) }

  // A key may live on, and keeps nothing then.
  deinit { held.forgetAll { _ = unsafeDowncast($0, to: CompositePlace.self).take() } }

  /// Whether it was disposed of.
  public var isDisposed: Bool { held.isDisposed }

  /// How many it holds.
  public var count: Int { isDisposed ? 0 : number.load(ordering: .relaxed) }

  /// Holds `disposable`, or disposes of it at once when this was disposed of.
  ///
  /// - Returns: what removes it again; nil when this was disposed of.
  public func insert(_ disposable: any Disposable) -> DisposeKey? {
    let place = CompositePlace(disposable, in: self)
    guard held.link(place) else {
      disposable.dispose()
      return nil
    }
    number.add(1, ordering: .relaxed)
    return DisposeKey(place: place)
  }

  /// Disposes of the one that `disposeKey` names and lets go of it; does nothing a second time, nor with the key
  /// of another one.
  public func remove(for disposeKey: DisposeKey) {
    let place = disposeKey.place
    guard place.owner == ObjectIdentifier(self), let disposable = place.take() else { return }
    held.drop(place)
    number.subtract(1, ordering: .relaxed)
    disposable.dispose()
  }

  /// Disposes of everything in it, and of whatever is inserted from now on.
  public func dispose() { held.dispose() }
}

/// A disposable inside of a composite, and its link in the list there.
private final class CompositePlace: Resource, @unchecked Sendable {
  // Belongs to whoever sets `state` from 0 to 2.
  @exclusivity(unchecked) private var held: (any Disposable)?
  // Immutable.
  let owner: ObjectIdentifier

  init(_ disposable: any Disposable, in owner: CompositeDisposable) {
    held = disposable
    self.owner = ObjectIdentifier(owner)
    super.init()
  }

  /// What is here, the first time.
  func take() -> (any Disposable)? {
    if state.exchange(2, ordering: .acquiringAndReleasing) == 2 { return nil }
    defer { held = nil }
    return held
  }

  override func dispose() { take()?.dispose() }
}
