import TestSupport
import Testing

@testable import Reactive

@Suite("Backoff", .workerPool)
struct BackoffTests {
  private func delays(
    _ backoff: Backoff,
    random: Double = 0,
    count: Int = 8
  ) -> [Duration?] {
    (0..<count).map { backoff.delay(before: $0, random: random) }
  }

  private func seconds(_ seconds: Double...) -> [Duration?] { seconds.map { .seconds($0) } }

  @Test
  func `F10: the exponential strategy doubles from 1 to 30 seconds and ends after 10 attempts`() {
    #expect(delays(.exponential()) == seconds(1, 2, 4, 8, 16, 30, 30, 30))
    #expect(delays(.exponential(), count: 12).suffix(3) == [.seconds(30), nil, nil])
  }

  @Test func `F10: jitter adds up to 25 percent`() {
    #expect(delays(.exponential(), random: 1, count: 3) == seconds(1.25, 2.5, 5))
    #expect(delays(.exponential(), random: 0.5, count: 1) == seconds(1.125))
  }

  @Test func `full jitter draws from zero to the whole delay`() {
    let full = Backoff.exponential(jitter: .full)
    #expect(delays(full, random: 0, count: 3) == seconds(0, 0, 0))
    #expect(delays(full, random: 0.5, count: 3) == seconds(0.5, 1, 2))
  }

  @Test func `F11: the fixed strategy has a constant delay`() {
    #expect(delays(.fixed(.seconds(5)), random: 1, count: 3) == seconds(5, 5, 5))
  }

  @Test func `F12: the linear strategy grows by the increment up to the cap`() {
    #expect(delays(.linear(cap: .seconds(4)), random: 1, count: 6) == seconds(1, 2, 3, 4, 4, 4))
  }

  @Test func `F13: the strategy none has no further attempt`() {
    #expect(delays(.none, count: 1) == [nil])
  }

  @Test func `F14: a custom strategy counts attempts from 0`() {
    let backoff = Backoff(maxAttempts: 3) {
      $0 == 0 ? .milliseconds(100) : .seconds($0 * 2)
    }
    #expect(delays(backoff, count: 4) == seconds(0.1, 2, 4) + [nil])
  }

  @Test func `delays beyond the range of the clock do not trap`() {
    let endless = Backoff.exponential(cap: .seconds(Int64.max / 2), maxAttempts: nil)
    #expect(endless.delay(before: .max, random: 0) != nil)
    let linear = Backoff.linear(maxAttempts: nil)
    #expect(linear.delay(before: .max, random: 0) == .seconds(30))
    for long in [Duration.seconds(Int64.max) * 18, .seconds(Int64.min) * 18] {
      for backoff in [
        Backoff.linear(increment: long, maxAttempts: nil, jitter: .upTo(1)),
        .linear(increment: long, cap: long, maxAttempts: nil, jitter: .full),
        .exponential(base: long, maxAttempts: nil),
        .fixed(long, maxAttempts: nil, jitter: .upTo(1)),
        .exponential(base: .seconds(1), cap: long, maxAttempts: nil),
      ] {
        for attempt in [0, 1, 100, .max] {
          #expect(backoff.delay(before: attempt, random: 1).map { $0 >= .zero } == true)
        }
      }
    }
    #expect(Backoff { _ in .seconds(-1) }.delay(before: 0, random: 0) == .zero)
  }

  @Test(arguments: [-1, Double.nan, -Double.infinity, .infinity, .greatestFiniteMagnitude])
  func `jitter of any share and any random number does not trap`(number: Double) {
    for delay: Duration in [.zero, .seconds(10), .seconds(Int64.max)] {
      for jitter: Backoff.Jitter in [.upTo(number), .full] {
        for random in [0, 0.5, number] {
          let varied = jitter.applied(to: delay, random: random)
          #expect(varied >= (jitter == .full ? .zero : delay))
        }
      }
    }
    #expect(Backoff.Jitter.upTo(-1).applied(to: .seconds(10), random: 0.5) == .seconds(10))
    #expect(Backoff.Jitter.full.applied(to: .seconds(10), random: 7) == .seconds(10))
  }
}
