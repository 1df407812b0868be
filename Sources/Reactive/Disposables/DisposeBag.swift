/// Holds subscriptions and disposes of them when it is released.
///
/// A subscription that ends by itself is removed from the bag at once. A long-lived bag therefore
/// holds live subscriptions only.
public final class DisposeBag: Sendable {
  // Created on first use: many bags stay empty.
  private let lazyHeld = LazyReference<Lifetime>()

  @usableFromInline var held: Lifetime { lazyHeld.object { Lifetime() } }

  /// Creates an empty bag.
  public init() {}

  /// Creates a bag that holds `disposables`.
  public convenience init(disposing disposables: any Disposable...) {
    self.init()
    insert(disposables)
  }

  deinit { lazyHeld.object?.dispose() }

  /// The number of live subscriptions in the bag.
  package var count: Int { lazyHeld.object?.count ?? 0 }

  /// Holds `disposable` until it ends or the bag is released.
  @inlinable public func insert(_ disposable: any Disposable) { held.insert(disposable) }

  /// Holds each of `disposables` until it ends or the bag is released.
  @inlinable public func insert(_ disposables: any Disposable...) { insert(disposables) }

  /// Holds each of `disposables` until it ends or the bag is released.
  @inlinable public func insert(_ disposables: [any Disposable]) {
    for each in disposables { insert(each) }
  }

  /// Disposes of all contents now, and of each later insertion at once.
  ///
  /// Other owners may still hold the bag.
  package func dispose() { held.dispose() }
}

extension Disposable {
  /// Adds this disposable to `bag`, which disposes of it when the bag is released.
  @inlinable public func disposed(by bag: DisposeBag) { bag.insert(self) }
}
