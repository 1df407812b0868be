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
  ///
  /// - Parameters:
  ///   - composer: composer to stub.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  ///   - change: injects dependencies. The others have the values that their keys declare for
  ///     tests.
  public init(
    _ composer: @autoclosure () -> C, file: StaticString = #filePath, line: UInt = #line,
    _ change: (inout Dependencies) -> Void = { _ in }
  ) {
    let stubbed = VirtualTime(file: file, line: line, change).run {
      let stubbed = composer()
      Store.bind(stubbed, to: .callerRuns) { $0.stub() }
      return stubbed
    }
    self.composer = stubbed
    // A composer that is already bound was not stubbed by the closure above.
    (stubbed.action.attached as? Store<C>)?.stub()
    _ = stubbed.action.asObservable()
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
