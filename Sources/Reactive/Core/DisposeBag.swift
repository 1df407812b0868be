/// Holds subscriptions and disposes of them when it is released.
///
/// A subscription that ends by itself leaves the bag at once, so a bag holds what is alive, however
/// long it lives itself.
public final class DisposeBag: Sendable {
  // Many a bag stays empty.
  private let lazyHeld = LazyReference<Lifetime>()

  @usableFromInline var held: Lifetime { lazyHeld.object { Lifetime() } }

  /// An empty bag.
  public init() {}

  /// A bag that holds `disposables`.
  public convenience init(disposing disposables: any Disposable...) {
    self.init()
    insert(disposables)
  }

  deinit { lazyHeld.object?.dispose() }

  /// How many live subscriptions it holds.
  package var count: Int { lazyHeld.object?.count ?? 0 }

  /// Holds `disposable` until it ends or the bag is released.
  @inlinable public func insert(_ disposable: any Disposable) { held.insert(disposable) }

  /// Holds all of `disposables`.
  @inlinable public func insert(_ disposables: any Disposable...) { insert(disposables) }

  /// Holds all of `disposables`.
  @inlinable public func insert(_ disposables: [any Disposable]) {
    for each in disposables { insert(each) }
  }

  /// Disposes of everything in it now, and of whatever is inserted from now on, whoever else holds
  /// the bag.
  package func dispose() { held.dispose() }
}

extension Disposable {
  /// Puts it into `bag`, which disposes of it when the bag is released.
  @inlinable public func disposed(by bag: DisposeBag) { bag.insert(self) }
}
