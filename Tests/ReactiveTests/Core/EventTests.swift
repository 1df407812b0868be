import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct EventTests {
  @Test func `an event has properties for its element, error and kind`() {
    let (next, error, completed) = (
      Event.next(1), Event<Int>.error(TestError.any), Event<Int>.completed
    )
    #expect(next.element == 1 && next.error == nil && !next.isStopEvent && !next.isCompleted)
    #expect(error.element == nil && error.error as? TestError == .any && error.isStopEvent)
    #expect(completed.isStopEvent && completed.isCompleted)
    #expect("\(next)" == "next(1)" && "\(completed)" == "completed")
  }

  @Test func `events are equal when their kinds and values are equal`() {
    #expect(Event.next(1) == .next(1))
    #expect(Event.next(1) != .next(2))
    #expect(Event<Int>.error(TestError.any) == .error(TestError.any))
    #expect(Event<Int>.error(TestError.any) != .error(TestError.other))
    #expect(Event<Int>.completed != .error(TestError.any))
  }

  @Test func `Event.map transforms the element and converts a thrown error to an error event`() {
    #expect(Event.next(1).map { $0 + 1 } == .next(2))
    #expect(Event.next(1).map { _ -> Int in throw TestError.any } == .error(TestError.any))
    #expect(Event<Int>.completed.map { $0 + 1 } == .completed)
  }

  @Test func `an event is convertible to itself`() { #expect(Event.next(1).event == .next(1)) }
}
