import Compose
import Foundation

/// Runs a composer in virtual time, and fails the test for every action, state and effect that the
/// test does not expect.
///
/// ```swift
/// let test = TestComposer(Search(api: .stub))
/// test.send(.query("x")) { $0.query = "x" }
/// test.advance(by: .milliseconds(300))
/// test.receive(.loaded(["x1", "x2"])) { $0.results = ["x1", "x2"] }
/// test.finish()
/// ```
///
/// Each step of the composer is asserted once, in order. ``send(_:_:file:line:)`` asserts the step
/// of the action that it sends; a `receive` method asserts any other step. The closure receives the
/// state before the step and changes it into the expected one. States need not be Equatable. A test
/// does not wait and does not await: ``advance(by:file:line:)`` advances the time, and runs timers,
/// debounces and the closures of `.run` on the thread of the test, in the same order in every run.
///
/// The test fails, in the line of the call, for
/// - a state or an action other than the expected one;
/// - actions that were not received before the next `send` or `finish`;
/// - effects that still run at ``finish(file:line:)``, each with the action that started it. State
///   effects may still run: the test asserts the state, which controls them;
/// - a composer that other code keeps alive after `finish`;
/// - problems of this composer that Compose reports, such as an error that no effect catches;
/// - a write of `composer.state` that was not received, as the change `state`;
/// - an action that sends itself without end: after 100,000 steps at one time no other is reduced;
/// - a missing call of `finish`.
///
/// With ``exhaustivity`` off, only the actions and values that the test names are compared. The
/// class works in Swift Testing and in XCTest.
public final class TestComposer<C: Composer> {
  /// The time of the composer and its effects.
  public let time: VirtualTime
  /// Whether the test must assert all actions, the whole state and all effects; on by default.
  public var exhaustivity: Exhaustivity

  private var held: C?
  /// The state after the last step that was asserted.
  private(set) var asserted: C.State
  let recorder: StepRecorder<C.State, C.Action>
  private let failures: Locked<[String]>
  private let initLocation: TestLocation
  private var isFinished = false

  /// Binds `composer` in virtual time.
  ///
  /// Create the composer in the call: no other code may hold it at ``finish(file:line:)``.
  ///
  /// - Parameters:
  ///   - composer: composer that is not bound.
  ///   - state: first state, whose shared parts receive their shared values; the composer's own by
  ///     default.
  ///   - time: virtual time; a new one by default. Bind other composers of the same time inside
  ///     `time.run`. The composer has its dependencies.
  ///   - exhaustivity: whether the test must assert everything; on by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  ///   - change: injects dependencies. The others have the values that their keys declare for
  ///     tests.
  public init(
    _ composer: @autoclosure () -> C, state: @autoclosure () -> C.State? = nil,
    in time: VirtualTime? = nil,
    exhaustivity: Exhaustivity = .on, file: StaticString = #filePath, line: UInt = #line,
    _ change: (inout Dependencies) -> Void = { _ in }
  ) {
    let time = time ?? VirtualTime(file: file, line: line)
    let recorder = StepRecorder<C.State, C.Action>()
    let initLocation = TestLocation(file: file, line: line)
    let failures = Locked<[String]>([])
    let context = time.testContext(
      change, onFailure: { message in failures.withLock { $0.append(message) } })
    time.moveToCurrentThread()
    let name = "\(C.self)"
    let (held, first) = EffectContext.$current.withValue(context) {
      let composer = composer()
      if composer.action.attached == nil, let state = state() { composer.state = state }
      var first: C.State?
      Store.bind(composer, to: .virtual(time)) { store in
        store.isTested = true
        store.adoptSharedValues(of: composer)
        first = StateBoxLookup.box(of: composer)?.value ?? composer.state
        let core: StoreCore = store
        _ = store.trace.subscribe(onNext: { [weak core] event in
          guard let step = recorder.record(event) else { return }
          core?.stub()
          failures.withLock {
            $0.append(
              """
              \(name) makes steps without end; after 100,000 at one time it reduces no other. The last:
                  \(step.description)
              """)
          }
        })
      }
      time.settle()
      return (composer, first)
    }
    if first == nil {
      initLocation.fail(
        "\(C.self) was bound before, and is not in virtual time. Create it in the call.")
      _ = held.trace.subscribe(onNext: { _ = recorder.record($0) })
    }
    self.held = held
    asserted = first ?? held.state
    self.time = time
    self.exhaustivity = exhaustivity
    self.recorder = recorder
    self.failures = failures
    self.initLocation = initLocation
    reportFailures(initLocation)
  }

  deinit {
    reportFailures(initLocation)
    guard !isFinished, exhaustivity == .on else { return }
    initLocation.fail("The test of \(C.self) has ended without finish().")
  }

  /// The composer under test.
  ///
  /// ``finish(file:line:)`` releases the composer. Reading this property afterwards traps.
  public var composer: C {
    guard let held else { preconditionFailure("finish() has released \(C.self).") }
    return held
  }

  /// The composer's current state; after ``finish(file:line:)`` its last state.
  public var state: C.State { held?.state ?? asserted }

  /// The running effects, in the order in which they were started.
  public var running: [RunningEffect<C.Action>] { recorder.running }

  /// Sends `action`, and runs all work that is ready at the current time.
  ///
  /// Fails the test when earlier actions were not received, or when the state after the action is
  /// not the expected one. The actions of its effects must be asserted by `receive`.
  ///
  /// - Parameters:
  ///   - action: action to send.
  ///   - expect: changes the state before the action into the expected one; no change by default.
  ///   - file: file that a failure is reported in; that of the call by default.
  ///   - line: line that a failure is reported at; that of the call by default.
  public func send(
    _ action: C.Action, _ expect: (inout C.State) -> Void = { _ in },
    file: StaticString = #filePath, line: UInt = #line
  ) {
    at(TestLocation(file: file, line: line)) { location in
      guard let held else {
        return location.fail("send(\(described(action))) after finish(): the composer is released.")
      }
      time.settle()
      failForUnreceivedActions("before send(\(described(action)))", location)
      held.action.accept(action)
      time.settle()
      if case .outside = recorder.firstStep?.step.source, let received = recorder.popFirstStep() {
        return assert(received, "send(\(described(action)))", location, expect)
      }
      // A middleware has dropped the action, or `transform(action:)` delays it: the test must
      // expect no change.
      var expected = asserted
      expect(&expected)
      if areEqual(asserted, expected) { return }
      location.fail(
        "send(\(described(action))) was not reduced, and its state cannot be compared.")
    }
  }

  /// Advances the clock by `interval`, and runs the timers and tasks that become due.
  public func advance(
    by interval: Duration, file: StaticString = #filePath, line: UInt = #line
  ) { at(TestLocation(file: file, line: line)) { _ in time.advance(by: interval) } }

  /// Runs all work that is ready at the current time.
  public func settle(file: StaticString = #filePath, line: UInt = #line) {
    at(TestLocation(file: file, line: line)) { _ in time.settle() }
  }

  /// Ends the test of the composer and releases the composer.
  ///
  /// Fails the test for actions that were not received, for effects that still run, and when other
  /// code keeps the composer alive. When no timer is due and no task is ready, the failure says
  /// that the effects wait for something outside virtual time, such as the main actor, a detached
  /// task or a queue.
  public func finish(file: StaticString = #filePath, line: UInt = #line) {
    at(TestLocation(file: file, line: line)) { location in
      time.settle()
      failForUnreceivedActions("before finish()", location)
      failForRunningEffects(location)
      isFinished = true
      if let held { asserted = held.state }
      let isAlive = { [weak composer = held] in composer != nil }
      held = nil
      // Lets the cancelled tasks end.
      time.settle()
      guard isAlive() else { return }
      location.fail(
        """
        \(C.self) is still alive after finish(): a closure that it stores holds it, or the test does. \
        Create it in the call: TestComposer(\(C.self)(...)).
        """)
    }
  }
}

/// Whether a test must assert everything that its composer does.
public enum Exhaustivity: Sendable {
  /// The test must assert all actions and the whole state, and no effect may run at the end.
  case on
  /// The test asserts what it names: other actions are skipped, and effects may run at the end. A
  /// closure receives the state after the action, and each change that it makes is a failure. So
  /// assign expected values instead of changing the received ones.
  case off
}

extension TestComposer {
  /// Runs `body`, and then fails the test at `location` for the failures that were found meanwhile.
  ///
  /// The code that finds a failure may run in a task without a current test. The context of the composer
  /// is not current: an operator's closure must find as little of it as in a program.
  func at(_ location: TestLocation, _ body: (TestLocation) -> Void) {
    body(location)
    reportFailures(location)
  }

  private func reportFailures(_ location: TestLocation) {
    for failure in failures.replace(with: []) { location.fail(failure) }
  }

  /// Fails the test unless `expect` changes the state before `received` into the state after it.
  func assert(
    _ received: ReceivedStep<C.State, C.Action>, _ name: @autoclosure () -> String,
    _ location: TestLocation, _ expect: (inout C.State) -> Void
  ) {
    let state = received.step.state
    var expected = exhaustivity == .on ? asserted : state
    asserted = state
    expect(&expected)
    let lines = areEqual(state, expected) ? [] : differences(between: state, and: expected)
    if lines.isEmpty { return }
    location.fail(listed("The state after \(name()) is not the expected one:", lines))
  }

  /// Makes the state after `received` the last asserted one.
  func skip(_ received: ReceivedStep<C.State, C.Action>) { asserted = received.step.state }

  private func failForUnreceivedActions(
    _ when: @autoclosure () -> String, _ location: TestLocation
  ) {
    let unreceived = recorder.popAllSteps()
    guard let last = unreceived.last else { return }
    skip(last)
    if exhaustivity == .off { return }
    let count = unreceived.count == 1 ? "1 action was" : "\(unreceived.count) actions were"
    location.fail(listed("\(count) not received \(when()):", unreceived.map(\.description)))
  }

  private func failForRunningEffects(_ location: TestLocation) {
    let running = recorder.unfinished
    guard exhaustivity == .on, !running.isEmpty else { return }
    let count = running.count == 1 ? "1 effect still runs" : "\(running.count) effects still run"
    let hint =
      if time.isIdle {
        """

        No task is ready and no timer is due: the effects wait for something outside of virtual time, \
        like the main actor, a detached task, a dispatch queue, Task.sleep (EffectContext.sleep is in \
        virtual time), or a subject that the test holds.
        """
      } else if time.hasReadyWork {
        "\nA task runs without end: does it wait in a loop of Task.yield()?"
      } else {
        ""
      }
    location.fail(listed("\(count) at finish():", running.map(\.description)) + hint)
  }
}
