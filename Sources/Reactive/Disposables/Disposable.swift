/// A subscription, a timer or another activity that can be ended once.
///
/// `dispose()` may be called from any thread and more than once. When the call returns, the ended
/// activity calls nothing more on the calling thread.
@preconcurrency public protocol Disposable: Sendable {
  /// Ends the activity and releases its resources.
  func dispose()
}

/// A disposable that reports whether it is disposed of.
@preconcurrency public protocol Cancelable: Disposable {
  /// Whether it is disposed of, or has ended by itself.
  var isDisposed: Bool { get }
}

/// Functions that make disposables.
public enum Disposables {
  /// Returns a disposable that does nothing.
  @inlinable public static func create() -> any Disposable { NothingToDispose.instance }

  /// Returns a disposable that runs `dispose` on the first disposal, on the disposing thread.
  @preconcurrency public static func create(with dispose: @escaping @Sendable () -> Void)
    -> any Cancelable
  { ActionDisposable(dispose) }

  /// Returns a disposable that disposes of all of `disposables`.
  public static func create(_ disposables: any Disposable...) -> any Cancelable {
    create(disposables)
  }

  /// Returns a disposable that disposes of all of `disposables`.
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

/// Removes the box of a lifetime from a list when that lifetime ends.
final class BoxLeaving: Resource, @unchecked Sendable {
  // Immutable.
  private let box: DisposableBox
  private let container: Lifetime

  init(_ box: DisposableBox, _ container: Lifetime) {
    (self.box, self.container) = (box, container)
  }

  override func dispose() {
    // A thread that is about to link the box checks this state first, under the lock of
    // `container`.
    box.state.store(2, ordering: .releasing)
    container.drop(box)
  }
}

/// Runs a closure once, on disposal; a lifetime, so that its bag removes it once it is disposed of.
@usableFromInline package final class ActionDisposable: Lifetime, @unchecked Sendable {
  // Written once, by the thread that closed the lifetime.
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
