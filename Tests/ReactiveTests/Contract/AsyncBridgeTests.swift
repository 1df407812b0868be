import Foundation
import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

#if canImport(CReactiveSystem) && !SANITIZED
import CReactiveSystem

/// Stops Swift Testing from storing a backtrace of about 200 bytes for each thrown error.
private func stopKeepingBacktracesOfErrors() {
  typealias Set = @convention(c) ((@convention(c) (UnsafeRawPointer) -> Void)?) -> Void
  let set = dlsym(nil, "_swift_setWillThrowHandler")
  unsafeBitCast(set, to: Set?.self)?(nil)
}
#endif

/// Races of end, cancellation and iteration in the bridges to async code.
///
/// A continuation that is resumed twice traps; the deadline detects one that is never resumed.
@Suite("Bridges to async code", .workerPool)
struct AsyncBridgeTests {
  #if SANITIZED
  static let rounds = 500
  #else
  static let rounds = 10_000
  #endif

  /// One round for `values`: the end, cancellation and elements race.
  private static func raceValues(_ round: Int) async {
    let subject = PublishSubject<Int>()
    let stream = subject.values
    let task = Task {
      do { for try await _ in stream {} } catch {}
    }
    let sender = Task {
      subject.onNext(1)
      switch round % 3 {
      case 0: subject.onError(TestError.any)
      case 1: subject.onCompleted()
      default: break
      }
    }
    // Without an end of the subject, only the cancellation ends the iteration.
    if round % 2 == 0 || round % 3 == 2 { task.cancel() }
    _ = await (sender.value, task.value)
    if round % 3 == 2, subject.hasObservers { Issue.record("Still subscribed in round \(round).") }
  }

  /// One round for `Single.value`.
  private static func raceValue(_ round: Int) async {
    let observer = Locked<(@Sendable (SingleEvent<Int>) -> Void)?>(nil)
    let single = Single<Int>.create { send in
      let send = UncheckedSendable(send)
      observer.withLock { $0 = { send.value($0) } }
      return Disposables.create { observer.withLock { $0 = nil } }
    }
    let task = Task { try await single.value }
    let sender = Task {
      let send = observer.withLock { $0 }
      send?(round % 3 == 0 ? .failure(TestError.any) : .success(round))
      send?(.success(-1))
      task.cancel()
    }
    if round % 4 == 0 { task.cancel() }
    await sender.value
    let result = await task.result
    if case .success(let element) = result, element != round { Issue.record("\(element)") }
  }

  /// One round for `value` of a completable, a maybe and a single: an error and the cancellation
  /// race.
  private static func raceError(_ round: Int) async {
    let subject = PublishSubject<Int>()
    let task = Task {
      switch round % 3 {
      case 0: try await subject.ignoreElements().asCompletable().value
      case 1: _ = try await subject.asMaybe().value
      default: _ = try await subject.asSingle().value
      }
    }
    while !subject.hasObservers { await Task.yield() }
    async let failure: Void = Task.detached { subject.onError(TestError.any) }.value
    task.cancel()
    await failure
    switch await task.result {
    case .success: Issue.record("Round \(round) ended without an error.")
    case .failure(let error):
      if !(error is CancellationError || error is TestError) { Issue.record("\(error)") }
    }
  }

  /// One round for `AsyncSequence.asObservable()`: disposal and the end race.
  private static func raceSequence(_ round: Int) async {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let ends = Atomic(0)
    let sender = Task {
      continuation.yield(1)
      continuation.finish()
    }
    // The continuation is resumed once, by the end or the disposal, whichever is first.
    await withCheckedContinuation { disposed in
      let subscription = stream.asObservable()
        .do(onDispose: { disposed.resume() })
        .subscribe(onCompleted: { ends.add(1, ordering: .relaxed) })
      if round % 2 == 0 { subscription.dispose() }
    }
    await sender.value
    if ends.load(ordering: .relaxed) > 1 { Issue.record("Ended twice in round \(round).") }
  }

  enum Bridge: String, CaseIterable, Codable, Sendable {
    case values, value, error, sequence

    func race(_ round: Int) async {
      switch self {
      case .values: await raceValues(round)
      case .value: await raceValue(round)
      case .error: await raceError(round)
      case .sequence: await raceSequence(round)
      }
    }
  }

  @Test(arguments: Bridge.allCases)
  func `an async bridge resumes once when its end, a cancellation and elements race`(bridge: Bridge)
    async throws
  {
    try await withDeadline(120) { for round in 0..<Self.rounds { await bridge.race(round) } }
  }

  // Swift Testing of 6.2 captures no values in exit tests.
  #if canImport(CReactiveSystem) && !SANITIZED && compiler(>=6.3)
  @Test(arguments: Bridge.allCases)
  func `an async bridge leaves no memory allocated after races of end and cancellation`(
    bridge: Bridge
  ) async {
    let result = await #expect(
      processExitsWith: .success,
      observing: [\.standardErrorContent]
    ) { [bridge] in
      stopKeepingBacktracesOfErrors()
      func race(_ rounds: Int) async {
        for round in 0..<rounds { await bridge.race(round) }
      }
      // The task pool, as in a program: the allocator keeps small blocks for each thread.
      try await TestProcessExecutor.$isEnabled.withValue(false) {
        await race(2_000)
        let before = csystem_heap_in_use()
        await race(20_000)
        // The last tasks may still run.
        try await Task.sleep(for: .milliseconds(50))
        // The caches of Dispatch grow once by up to 100 KB.
        let growth = (Int(csystem_heap_in_use()) - Int(before)) / 20_000
        if growth > 16 { report("\(growth) bytes kept of each round") }
      }
    }
    expectNoReport(result)
  }
  #endif
}
