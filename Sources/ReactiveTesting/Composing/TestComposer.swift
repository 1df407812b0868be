import Compose
import Foundation

/// Runs a composer in virtual time and fails the test for everything that it does and the test does
/// not expect.
///
/// ```swift
/// let test = TestComposer(Search(api: .stub))
/// test.send(.query("x")) { $0.query = "x" }
/// test.advance(by: .milliseconds(300))
/// test.receive(.loaded(["x1", "x2"])) { $0.results = ["x1", "x2"] }
/// test.finish()
/// ```
///
/// Each step of the composer is asserted once: what a test sends by ``send(_:_:file:line:)``, everything
/// else by one of the `receive`, in the order of the steps. The closure is given the state before
/// the step and makes it the expected one; states need not be Equatable. Nothing waits and nothing is
/// awaited: timers, debounces and the closures of `.run` go on when ``advance(by:file:line:)`` moves the
/// time, on the thread of the test, and the same every time.
///
/// The test fails, where the call is written, for
/// - a state or an action other than the expected one;
/// - actions that were not received before the next `send` or `finish`;
/// - effects that still run at ``finish(file:line:)``, each with the action that started it; those that
///   `subscriptions(_:)` asks for are the state's matter, which is asserted;
/// - a composer that `finish` cannot release;
/// - whatever is reported to ``ComposeHooks`` meanwhile: effects that failed with an error nobody caught,
///   for one;
/// - a test that does not call `finish`.
///
/// With ``exhaustivity`` off, a test looks only at what it names. It works in Swift Testing and in
/// XCTest.
public final class TestComposer<C: Composer> {
  /// The time of the composer and its effects.
  public let time: VirtualTime
  /// Whether everything must be asserted; on by default.
  public var exhaustivity: Exhaustivity

  private var held: C?
  /// The state after the last step that was asserted.
  private(set) var asserted: C.State
  let recorder: Recorder<C.State, C.Action>
  private let problems: Locked<[ComposeProblem]>
  private let context: EffectContext
  private let origin: Place
  private var isFinished = false

  /// Binds `composer` in virtual time.
  ///
  /// Make the composer in the call, as nobody else may hold it when the test has finished.
  ///
  /// - Parameters:
  ///   - time: the time; one of its own by default. What else must live in that time is bound inside
  ///     `time.run`.
  ///   - exhaustivity: whether everything must be asserted; on by default.
  public init(
    _ composer: @autoclosure () -> C, in time: VirtualTime = VirtualTime(),
    exhaustivity: Exhaustivity = .on, file: StaticString = #filePath, line: UInt = #line
  ) {
    let recorder = Recorder<C.State, C.Action>()
    let origin = Place(file: file, line: line)
    let problems = Locked<[ComposeProblem]>([])
    let context = EffectContext(
      scheduler: time.scheduler, taskExecutor: time.context.taskExecutor,
      onProblem: { problem in problems.withLock { $0.append(problem) } })
    time.takeOver()
    let (held, first) = EffectContext.$current.withValue(context) {
      let composer = composer()
      var first: C.State?
      Store.bind(composer, to: .virtual(time)) { store in
        first = StateSearch.box(of: composer)?.value ?? composer.state
        _ = store.trace.subscribe(onNext: { recorder.record($0) })
      }
      time.settle()
      return (composer, first)
    }
    if first == nil {
      origin.fail("\(C.self) was bound before, and is not in virtual time. Make it in the call.")
      _ = held.trace.subscribe(onNext: { recorder.record($0) })
    }
    (self.held, asserted) = (held, first ?? held.state)
    (self.time, self.exhaustivity, self.recorder) = (time, exhaustivity, recorder)
    (self.problems, self.context, self.origin) = (problems, context, origin)
    failForProblems(origin)
  }

  deinit {
    failForProblems(origin)
    guard !isFinished, exhaustivity == .on else { return }
    origin.fail("The test of \(C.self) has ended without finish().")
  }

  /// The composer.
  ///
  /// ``finish(file:line:)`` releases it: using it afterwards is a programmer's error and traps.
  public var composer: C {
    guard let held else { preconditionFailure("finish() has released \(C.self).") }
    return held
  }

  /// The composer's state; after ``finish(file:line:)`` the last one asserted.
  public var state: C.State { held?.state ?? asserted }

  /// The effects that run, in the order in which they were started.
  public var running: [RunningEffect<C.Action>] { recorder.running }

  /// Sends `action`, and runs what can run without the clock moving.
  ///
  /// Fails the test when actions were not received, or the state after the action is not the expected
  /// one. What the action's effects send is to be received.
  ///
  /// - Parameter expect: changes the state before the action into the expected one; nothing by default.
  public func send(
    _ action: C.Action, _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    at(Place(file: file, line: line)) { place in
      guard let held else {
        return place.fail("send(\(described(action))) after finish(): the composer is released.")
      }
      time.settle()
      failForWaiting("before send(\(described(action)))", place)
      held.action.accept(action)
      time.settle()
      if case .outside = recorder.first?.step.source, let received = recorder.popFirst() {
        return assert(received, "send(\(described(action)))", place, expect)
      }
      // A middleware has dropped it or `transform(action:)` holds it back: nothing may be expected.
      var expected = asserted
      expect(&expected)
      if areEqual(asserted, expected) { return }
      place.fail("send(\(described(action))) was not reduced, and its state cannot be compared.")
    }
  }

  /// Moves the clock on by `interval` and runs everything that is due on the way.
  public func advance(
    by interval: RxTimeInterval, file: StaticString = #filePath, line: UInt = #line
  ) { at(Place(file: file, line: line)) { _ in time.advance(by: interval) } }

  /// Runs what can run without the clock moving.
  public func settle(file: StaticString = #filePath, line: UInt = #line) {
    at(Place(file: file, line: line)) { _ in time.settle() }
  }

  /// Ends the test of the composer and releases it.
  ///
  /// Fails the test for actions that were not received, for effects that still run, and for a composer
  /// that is still alive then. An effect that no timer and no task of virtual time can bring to its
  /// end is said to wait for something outside: the main actor, a detached task, a queue.
  public func finish(file: StaticString = #filePath, line: UInt = #line) {
    at(Place(file: file, line: line)) { place in
      time.settle()
      failForWaiting("before finish()", place)
      failForRunning(place)
      isFinished = true
      if let held { asserted = held.state }
      weak let composer = held
      held = nil
      // The cancelled tasks come to their ends.
      time.settle()
      guard composer != nil else { return }
      place.fail(
        """
        \(C.self) is still alive after finish(): a closure that it keeps holds it, or the test does. \
        Make it in the call: TestComposer(\(C.self)(...)).
        """)
    }
  }
}

/// Whether a test must assert everything that a composer does.
public enum Exhaustivity: Sendable {
  /// All actions, the whole state, and no effect that runs at the end.
  case on
  /// What the test names: other actions are skipped, effects may run at the end. The closure is given
  /// the state after the action, and what it changes in there is a failure: let it set values, and
  /// not count on those before.
  case off
}

extension TestComposer {
  /// Runs `body` in virtual time, and fails the test for problems at `place`: here and not where they
  /// are found, which may be a task that knows nothing of the test.
  func at(_ place: Place, _ body: (Place) -> Void) {
    EffectContext.$current.withValue(context) { body(place) }
    failForProblems(place)
  }

  private func failForProblems(_ place: Place) {
    for problem in problems.replace(with: []) {
      switch problem {
      // That one has failed the test already.
      case .effectFailed(let error, _, _) where error is Unimplemented,
        .subscriptionFailed(let error, _, _) where error is Unimplemented:
        continue
      default: place.fail("\(problem)")
      }
    }
  }

  /// Fails the test unless `expect` makes the state before `received` the one after it.
  func assert(
    _ received: ReceivedStep<C.State, C.Action>, _ what: @autoclosure () -> String, _ place: Place,
    _ expect: (inout C.State) -> Void
  ) {
    let state = received.step.state
    var expected = exhaustivity == .on ? asserted : state
    asserted = state
    expect(&expected)
    let lines = areEqual(state, expected) ? [] : differences(between: state, and: expected)
    if lines.isEmpty { return }
    place.fail(listed("The state after \(what()) is not the expected one:", lines))
  }

  /// Passes over `received`, asserted or not.
  func skip(_ received: ReceivedStep<C.State, C.Action>) { asserted = received.step.state }

  private func failForWaiting(_ when: @autoclosure () -> String, _ place: Place) {
    let waiting = recorder.popAll()
    guard let last = waiting.last else { return }
    skip(last)
    if exhaustivity == .off { return }
    let count = waiting.count == 1 ? "1 action was" : "\(waiting.count) actions were"
    place.fail(listed("\(count) not received \(when()):", waiting.map(\.description)))
  }

  private func failForRunning(_ place: Place) {
    let running = recorder.unfinished
    guard exhaustivity == .on, !running.isEmpty else { return }
    let count = running.count == 1 ? "1 effect still runs" : "\(running.count) effects still run"
    let hint =
      if time.isIdle {
        """

        No task is ready and no timer is due: what still runs waits for something outside of virtual \
        time, like the main actor, a detached task, a dispatch queue, Task.sleep (EffectContext.sleep \
        is in virtual time), or a subject that the test holds.
        """
      } else if time.hasReady {
        "\nA task runs on without end: does it wait in a loop of Task.yield()?"
      } else {
        ""
      }
    place.fail(listed("\(count) at finish():", running.map(\.description)) + hint)
  }
}

/// Where in a test a call is written.
struct Place: Sendable {
  let file: StaticString
  let line: UInt

  func fail(_ message: String) { reportFailure(message, file: file, line: line) }
}
