import ReactiveTesting
import TestSupport
import Testing

@testable import ActionCable

@Suite(.workerPool) struct ChannelBatchesTests {
  private func play(
    _ window: Duration,
    _ events: [Recorded<Event<Int>>]
  ) -> [Recorded<Event<[Int]>>] {
    let scheduler = TestScheduler(initialClock: 0)
    let source = scheduler.createHotObservable(events)
    return scheduler.start { source.asObservable().batched(within: window, scheduler: scheduler) }
      .events
  }

  @Test func `C07: a batch begins with its first element and ends after the window`() {
    let events = play(
      .seconds(10),
      [.next(210, 1), .next(215, 2), .next(219, 3), .next(225, 4), .next(400, 5), .next(401, 6)]
    )
    #expect(events == [.next(220, [1, 2, 3]), .next(235, [4]), .next(410, [5, 6])])
  }

  @Test func `completion first emits the pending batch`() {
    #expect(
      play(.seconds(10), [.next(210, 1), .completed(212)])
        == [.next(212, [1]), .completed(212)]
    )
    #expect(
      play(.seconds(10), [.next(210, 1), .error(212, Lost())])
        == [.next(212, [1]), .error(212, Lost())]
    )
  }

  @Test func `without a window each element is a batch at once`() {
    #expect(
      play(.seconds(0), [.next(210, 1), .next(210, 2)]) == [.next(210, [1]), .next(210, [2])]
    )
  }

  private struct Lost: Error, Equatable {}
}
