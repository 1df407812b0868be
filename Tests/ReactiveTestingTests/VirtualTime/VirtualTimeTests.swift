import Foundation
import Reactive
import TestSupport
import Testing

@testable import ReactiveTesting

@Suite(.workerPool) struct VirtualTimeTests {
  private let time = VirtualTime()

  @Test func `VirtualTime.advance runs the work that becomes due`() {
    let log = Locked<[String]>([])
    for (name, delay) in [("late", 3), ("early", 1), ("too late", 4)] {
      _ = time.scheduler.scheduleRelative((), dueTime: .seconds(delay)) { [time] in
        log.withLock { $0.append("\(name) at \(time.elapsed)") }
        return Disposables.create()
      }
    }
    time.advance(by: .seconds(3))
    #expect(log.withLock { $0 } == ["early at 1.0", "late at 3.0"])
    #expect(time.elapsed == 3)
    time.advance(by: .microseconds(1))
    #expect(time.elapsed == 3.000_001)
  }

  @Test func `timers that are due at one moment without end fail the test`() {
    let disposable = Observable<Int>.error(RxError.timeout)
      .retry(.fixed(.zero, maxAttempts: nil), scheduler: time.scheduler).subscribe()
    withKnownIssue {
      time.advance(by: .seconds(3))
    } matching: { issue in
      issue.comments.contains {
        "\($0)".contains("At 0.0 s, 100,000 timers have been added and run")
      }
    }
    #expect(time.elapsed == 0)
    disposable.dispose()
    time.advance(by: .seconds(3))
    #expect(time.elapsed == 3)
  }

  @Test func `VirtualTime.advance and settle run tasks`() {
    let log = Locked<[String]>([])
    let executor = time.context.taskExecutor
    Task(executorPreference: executor) {
      log.withLock { $0.append("begun") }
      await Task.yield()
      log.withLock { $0.append("gone on") }
    }
    #expect(log.withLock { $0 } == [])
    time.settle()
    #expect(log.withLock { $0 } == ["begun", "gone on"])
  }

  @Test func `a sleeping task continues when virtual time has advanced`() {
    let log = Locked<[TimeInterval]>([])
    time.run {
      _ = Task(executorPreference: time.context.taskExecutor) { [time] in
        try await EffectContext.sleep(.seconds(5))
        log.withLock { $0.append(time.elapsed) }
      }
    }
    time.advance(by: .seconds(4))
    #expect(log.withLock { $0 } == [])
    time.advance(by: .seconds(4))
    #expect(log.withLock { $0 } == [5])
  }

  @Test func `VirtualTime.run sets the clock of composers bound inside`() {
    #expect(EffectContext.current == nil)
    let context = time.run { EffectContext.current }
    #expect(context?.scheduler as AnyObject === time.scheduler)
    #expect(throws: CancellationError.self) { try time.run { throw CancellationError() } }
  }

  @Test func `virtual time converts microseconds without loss`() {
    let converter = MicrosecondConverter()
    let day = 86_400_000_000
    #expect(converter.convertToVirtualTime(converter.convertFromVirtualTime(day + 1)) == day + 1)
    #expect(converter.convertToVirtualTimeInterval(1.5) == 1_500_000)
    #expect(converter.convertFromVirtualTimeInterval(250_000) == 0.25)
    #expect(converter.offsetVirtualTime(2, offset: 3) == 5)
    #expect(converter.compareVirtualTime(1, 2) == .lessThan)
    #expect(converter.compareVirtualTime(2, 1) == .greaterThan)
    #expect(converter.compareVirtualTime(2, 2) == .equal)
  }
}
