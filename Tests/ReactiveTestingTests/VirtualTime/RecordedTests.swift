import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct RecordedTests {
  @Test func `records have descriptions and equality`() {
    let record: Recorded<Event<Int>> = .next(210, 1)
    #expect(record == .next(210, 1))
    #expect(record != .next(211, 1))
    #expect(record != .completed(210))
    #expect(record.debugDescription == "next(1) @ 210")
    #expect(Recorded.events(.next(1, 1), .completed(2)) == [.next(1, 1), .completed(2)])
  }

  @Test func `records are created by kind`() {
    let recorded = Recorded(time: 5, value: "value")
    #expect(recorded.time == 5)
    #expect(recorded.value == "value")
    #expect(Recorded.next(1, 2).value == .next(2))
    #expect(Recorded.completed(1, Int.self).value.isCompleted)
    #expect(Recorded.error(1, Failure(), Int.self).value.error is Failure)
    let events: [Recorded<Event<Int>>] = [.next(1, 1), .completed(2)]
    #expect(Recorded.events(events) == events)
    #expect(Recorded.events(.next(1, 1), .completed(2)) == events)
  }

  @Test func `records with optional elements are comparable`() {
    let record: Recorded<Event<Int?>> = .next(1, nil)
    #expect(record == .next(1, nil))
    #expect(record != .next(1, 1))
  }

  @Test func `records of errors are equal when their descriptions are equal`() {
    #expect(Recorded<Event<Int>>.error(1, Failure()) == .error(1, Failure()))
    #expect(Recorded<Event<Int>>.error(1, Failure(name: "a")) != .error(1, Failure(name: "b")))
    #expect(Recorded<Event<Int>>.error(1, Failure()) != .error(2, Failure()))
  }

  private struct Failure: Error { var name = "" }
}
