import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct RxTimeIntervalTests {
  @Test func `a duration is rounded down to nanoseconds`() {
    #expect(RxTimeInterval(.milliseconds(330)).nanoseconds == 330_000_000)
    #expect(RxTimeInterval(Duration(secondsComponent: 0, attosecondsComponent: 1)).nanoseconds == 0)
  }

  @Test func `a negative duration is no time, and one that is too long is the longest`() {
    #expect(RxTimeInterval(.seconds(-5)).nanoseconds == 0)
    #expect(RxTimeInterval(.seconds(Int64.min)).nanoseconds == 0)
    #expect(RxTimeInterval(.seconds(Int64.max)).nanoseconds == .max)
    for factor in [2, 18] {
      #expect(RxTimeInterval(.seconds(Int64.max) * factor).nanoseconds == .max)
      #expect(RxTimeInterval(.seconds(Int64.min) * factor).nanoseconds == 0)
    }
    let longest = Duration.nanoseconds(Int64.max)
    #expect(RxTimeInterval(longest) == .never)
    #expect(RxTimeInterval(longest - .nanoseconds(1)) == .nanoseconds(.max - 1))
  }
}
