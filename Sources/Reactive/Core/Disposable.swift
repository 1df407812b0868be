/// Something that can be ended, once: a subscription, a timer, a connection.
///
/// `dispose()` may be called from any thread and more than once. When it returns, the thread that
/// called it hears nothing more from what it ended.
@preconcurrency public protocol Disposable: Sendable {
  /// Ends it and lets go of what it holds.
  func dispose()
}

/// A disposable that tells whether it was disposed.
@preconcurrency public protocol Cancelable: Disposable {
  /// Whether it was disposed, or has ended by itself.
  var isDisposed: Bool { get }
}

/// Makes disposables.
public enum Disposables {
  /// A disposable that does nothing.
  @inlinable public static func create() -> any Disposable { NothingToDispose.instance }

  /// A disposable that runs `dispose` the first time it is disposed, on the disposing thread.
  @preconcurrency public static func create(with dispose: @escaping @Sendable () -> Void)
    -> any Cancelable
  { ActionDisposable(dispose) }

  /// A disposable that disposes of all of `disposables`.
  public static func create(_ disposables: any Disposable...) -> any Cancelable {
    create(disposables)
  }

  /// A disposable that disposes of all of `disposables`.
  public static func create(_ disposables: [any Disposable]) -> any Cancelable {
    let group = Lifetime()
    for disposable in disposables { group.add(disposable) }
    return group
  }
}

@usableFromInline final class NothingToDispose: Resource, @unchecked Sendable {
  // Has no state.
  @usableFromInline static let instance = NothingToDispose()

  override func held(leaving container: Lifetime?) -> Resource? { nil }
}

final class DisposableBox: Resource, @unchecked Sendable {
  // Immutable.
  private let wrapped: any Disposable

  init(_ wrapped: any Disposable) { self.wrapped = wrapped }

  override func dispose() { wrapped.dispose() }
}

/// Takes the box of a lifetime that ends out of a list.
final class BoxLeaving: Resource, @unchecked Sendable {
  // Immutable.
  private let box: DisposableBox
  private let container: Lifetime

  init(_ box: DisposableBox, _ container: Lifetime) {
    (self.box, self.container) = (box, container)
  }

  override func dispose() {
    // Whoever is about to put it into the list looks at this.
    box.state.store(2, ordering: .releasing)
    container.drop(box)
  }
}

/// Runs a closure once: a lifetime too, so that a bag forgets it once it was disposed of.
@usableFromInline package final class ActionDisposable: Lifetime, @unchecked Sendable {
  // Written once, by whoever closed the lifetime.
  @exclusivity(unchecked) private var action: (() -> Void)?

  @usableFromInline package init(_ action: @escaping () -> Void) {
    self.action = action
    super.init()
  }

  override package func didDispose() {
    let action = self.action
    self.action = nil
    action?()
  }
}
