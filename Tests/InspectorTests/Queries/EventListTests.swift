import Foundation
import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("EventList", .workerPool)
struct EventListTests {
  /// The texts of the rows that a filter finds.
  private func found(_ sample: InspectedSample, _ filter: EventFilter) -> [String] {
    var list = EventList(filter)
    search(&list, sample)
    return (0..<list.count).compactMap { list[$0] }.compactMap { sample.log.event($0) }
      .map { sample.program.reader.row(of: $0).shortText }
  }

  private func search(_ list: inout EventList, _ sample: InspectedSample) {
    while list.search(sample.log, hasText: { sample.program.reader.has($0, $1) }) {}
  }

  private func busySample() -> InspectedSample {
    let sample = InspectedSample()
    sample.send(.add(1), .load(query: "swift"), .poll)
    sample.time.advance(by: .seconds(5))
    return sample
  }

  @Test func `a list has the steps by default`() {
    #expect(
      found(busySample(), EventFilter()) == [
        "step 1 outside: add(1)", "step 2 outside: load(query: \"swift\")",
        "step 3 outside: poll", "step 4 effect 1: loaded([Row(id: 1, title: \"swift\")])",
        "step 5 effect 2: ticked", "step 6 step 5: add(10)",
      ])
  }

  @Test func `a filter chooses kinds, sources and composers`() {
    let sample = busySample()
    #expect(
      found(sample, EventFilter(kinds: [.started, .ended])).sorted() == [
        "ended 1 completed", "ended 2 completed", "started 1 step load", "started 2 step -",
      ])
    #expect(
      found(sample, EventFilter(sources: [.effect, .step])) == [
        "step 4 effect 1: loaded([Row(id: 1, title: \"swift\")])", "step 5 effect 2: ticked",
        "step 6 step 5: add(10)",
      ])
    #expect(found(sample, EventFilter(composers: [2])).isEmpty)
  }

  @Test func `a text is found in actions, changes, sources and names`() {
    let sample = busySample()
    #expect(found(sample, EventFilter(text: "TICKED")) == ["step 5 effect 2: ticked"])
    #expect(found(sample, EventFilter(text: "count: 2 →")) == ["step 6 step 5: add(10)"])
    #expect(found(sample, EventFilter(text: "sample")).count == 6)
    #expect(found(sample, EventFilter(text: "nowhere")).isEmpty)
    #expect(
      found(sample, EventFilter(kinds: [.started], text: "load")) == ["started 1 step load"])
  }

  @Test func `a source, an origin and the end of an effect are found as rows show them`() {
    let sample = busySample()
    #expect(
      found(sample, EventFilter(text: "effect 1")) == [
        "step 4 effect 1: loaded([Row(id: 1, title: \"swift\")])"
      ])
    #expect(found(sample, EventFilter(text: "step 5")) == ["step 6 step 5: add(10)"])
    #expect(found(sample, EventFilter(text: "outside")).count == 3)
    #expect(found(sample, EventFilter(text: "optional")).isEmpty)
    let both: Set<EventFilter.Kind> = [.started, .ended]
    #expect(
      found(sample, EventFilter(kinds: both, text: "effect 1 run load")) == [
        "started 1 step load", "ended 1 completed",
      ])
    #expect(
      found(sample, EventFilter(kinds: both, text: "delay completed")) == ["ended 2 completed"])
    sample.send(.watch(true), .fail)
    #expect(
      found(sample, EventFilter(kinds: both, text: "state watch")).map { $0.prefix(7) } == [
        "started"
      ])
    #expect(
      found(sample, EventFilter(kinds: both, text: "failed: ")).map { $0.suffix(6) } == ["failed"])
  }

  @Test func `a shared value is found by its writer, with and without its step`() {
    let cause = Cause(ActionSource.shared(by: "Search", step: 3))
    #expect(cause.shownTexts.contains("Search 3"))
    #expect(cause.text == "shared 3 of Search")
  }

  @Test func `the start and the end of an effect are found by its id and its kind`() {
    let sample = busySample()
    let both: Set<EventFilter.Kind> = [.started, .ended]
    #expect(
      found(sample, EventFilter(kinds: both, text: "load")) == [
        "started 1 step load", "ended 1 completed",
      ])
    #expect(
      found(sample, EventFilter(kinds: both, text: "delay")) == [
        "started 2 step -", "ended 2 completed",
      ])
    let ended = sample.rows.filter { $0.kind == "ended" }
    #expect(ended.map(\.id) == ["load", nil])
    #expect(ended.map(\.effectKind) == ["run", "delay"])
  }

  @Test func `a list goes on with new events`() {
    let sample = InspectedSample()
    var list = EventList(EventFilter(text: "add"))
    for round in 1...3 {
      sample.send(.add(round), .stop)
      search(&list, sample)
      #expect(list.count == round)
    }
  }

  @Test func `positions remain when events are dropped`() {
    let sample = InspectedSample { $0.byteLimit = 64_000 }
    var list = EventList(EventFilter())
    for number in 1...1_000 {
      sample.send(.add(number))
      if number.isMultiple(of: 10) { search(&list, sample) }
    }
    #expect(list.count == 1_000)
    #expect(list.droppedCount == sample.log.events.lowerBound - 1)
    #expect(list[0] == nil)
    #expect(list[999] == 1_000)
    #expect(list[1_000] == nil)
    #expect(list[-1] == nil)
  }

  @Test func `the position of an event is that of the last match before it`() {
    let sample = InspectedSample()
    var list = EventList(EventFilter(text: "add"))
    #expect(list.position(of: 5) == -1)
    sample.send(.add(1), .stop, .add(2))
    search(&list, sample)
    #expect([0, 1, 2, 4, 100].map { list.position(of: $0) } == [-1, 0, 0, 0, 1])
  }

  @Test func `an event before the matches that are kept has no position`() throws {
    let sample = InspectedSample { $0.byteLimit = 64_000 }
    var list = EventList(EventFilter())
    for number in 1...1_000 {
      sample.send(.add(number))
      if number.isMultiple(of: 10) { search(&list, sample) }
    }
    let first = try #require(list[list.droppedCount])
    #expect(list.position(of: first) == list.droppedCount)
    #expect(list.position(of: first - 1) == -1)
  }

  @Test func `a list that is searched late skips what was dropped`() {
    let sample = InspectedSample { $0.byteLimit = 64_000 }
    for number in 1...1_000 { sample.send(.add(number)) }
    var list = EventList(EventFilter())
    search(&list, sample)
    #expect(list.count == sample.log.events.count)
    #expect(list[0] == sample.log.events.lowerBound)
  }

  @Test func `the change that a search has found is one of the row`() throws {
    struct State: Sendable {
      var first = 1, second = 1, third = 1, fourth = "before", fifth = 1
    }
    let before = State()
    var after = before
    (after.first, after.second, after.third, after.fifth) = (2, 2, 2, 2)
    after.fourth = "Found"
    let event = RecordedEvent(
      head: EventHead(number: 1, source: 1, time: .now, kind: .step(1, .outside)),
      actions: ["go"], change: nil, before: before, after: after)
    let reader = InspectedSample().program.reader
    #expect(reader.row(of: event).changes == ["first: 1 → 2", "second: 1 → 2", "third: 1 → 2"])
    let row = reader.row(of: event, searched: "found")
    #expect(
      row.changes == [#"fourth: "before" → "Found""#, "first: 1 → 2", "second: 1 → 2"])
    #expect(row.moreChanges == 2)
    #expect(reader.row(of: event, searched: "go").changes?.first == "first: 1 → 2")
  }
}
