import Compose

/// A composer that reduces nothing: for tests of what stands before it, a view for one.
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
/// Actions are recorded, on the thread that sends them, instead of reduced; the test sets the state.
/// Neither effects, nor middleware, nor what the state asks for are started. A composer that is bound
/// already is stubbed from then on; what runs in it goes on.
public final class StubComposer<C: Composer> {
  /// The composer.
  public let composer: C
  private let recorded = Locked<[C.Action]>([])

  /// Stubs `composer`.
  public init(_ composer: C) {
    self.composer = composer
    Store.bind(composer, to: .callerRuns) { $0.stub() }
    // Bound before, it was not prepared.
    (composer.action.attached as? Store<C>)?.stub()
    _ = composer.action.asObservable()
      .subscribe(onNext: { [recorded] action in recorded.withLock { $0.append(action) } })
  }

  /// What was sent so far.
  public var actions: [C.Action] { recorded.withLock { $0 } }

  /// What the composer shows.
  public var state: C.State {
    get { composer.state }
    set { composer.state = newValue }
  }
}
