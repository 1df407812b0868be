import Compose

/// Records the actions of a composer instead of reducing them: for tests of code that uses a
/// composer, such as a view.
///
/// ```swift
/// let stub = StubComposer(Counter())
/// let screen = Screen(stub.composer)
///
/// screen.plusButton.tap()
/// #expect(stub.actions == [.increment])
///
/// stub.state.count = 3
/// #expect(screen.label.text == "3")
/// ```
///
/// Actions are recorded on the thread that sends them. The test sets the state. Effects, middleware
/// and state effects are not started. A composer that is already bound reduces no more actions from
/// now on; its running effects continue.
public final class StubComposer<C: Composer> {
  /// The stubbed composer.
  public let composer: C
  private let recorded = Locked<[C.Action]>([])

  /// Stubs `composer`.
  public init(_ composer: C) {
    self.composer = composer
    Store.bind(composer, to: .callerRuns) { $0.stub() }
    // A composer that is already bound was not stubbed by the closure above.
    (composer.action.attached as? Store<C>)?.stub()
    _ = composer.action.asObservable()
      .subscribe(onNext: { [recorded] action in recorded.withLock { $0.append(action) } })
  }

  /// The actions that were sent until now.
  public var actions: [C.Action] { recorded.withLock { $0 } }

  /// The state that the composer publishes.
  public var state: C.State {
    get { composer.state }
    set { composer.state = newValue }
  }
}
