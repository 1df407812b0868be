import TestSupport
import Testing

@testable import inspect

@Suite("The cursor of inspect", .workerPool)
struct InspectEventCursorTests {
  private func progress(_ count: Int, dropped: Int = 0) -> QueryProgress {
    QueryProgress(query: 1, count: count, dropped: dropped, searched: 1)
  }

  @Test func `the last events are read, a page at a time`() {
    var cursor = EventCursor(last: 250, of: progress(1_000))
    #expect(cursor.next(progress(1_000), maySkip: false) == .read(from: 750, count: 200))
    #expect(cursor.advance(by: 200, returned: 200, from: 750) == 0)
    #expect(cursor.next(progress(1_000), maySkip: false) == .read(from: 950, count: 50))
    #expect(cursor.advance(by: 50, returned: 50, from: 950) == 0)
    #expect(cursor.next(progress(1_000), maySkip: false) == .wait)
  }

  @Test func `more events than there are begin with the first that is kept`() {
    var cursor = EventCursor(last: 100, of: progress(50, dropped: 20))
    #expect(cursor.next(progress(50, dropped: 20), maySkip: true) == .read(from: 20, count: 30))
  }

  @Test func `a reader that is far behind skips to the last page when it follows`() {
    var cursor = EventCursor(last: 0, of: progress(0))
    #expect(cursor.next(progress(10_000), maySkip: true) == .read(from: 0, count: 200))
    #expect(cursor.next(progress(12_545), maySkip: true) == .skipped(12_345))
    #expect(cursor.next(progress(12_545), maySkip: true) == .read(from: 12_345, count: 200))
  }

  @Test func `a reader that does not follow skips nothing`() {
    var cursor = EventCursor(last: 20_000, of: progress(20_000))
    #expect(cursor.next(progress(20_000), maySkip: false) == .read(from: 0, count: 200))
  }

  @Test func `dropped events are counted, before a request and by its answer`() {
    var cursor = EventCursor(last: 100, of: progress(100))
    #expect(cursor.next(progress(100, dropped: 10), maySkip: false) == .skipped(10))
    #expect(cursor.next(progress(100, dropped: 10), maySkip: false) == .read(from: 10, count: 90))
    // Five more were dropped meanwhile.
    #expect(cursor.advance(by: 90, returned: 85, from: 15) == 5)
    #expect(cursor.position == 100)
  }

  @Test func `an answer without rows still advances`() {
    var cursor = EventCursor(last: 5, of: progress(5))
    #expect(cursor.advance(by: 5, returned: 0, from: 0) == 5)
    #expect(cursor.next(progress(5), maySkip: true) == .wait)
  }
}
