/// The events that match a filter, found little by little.
struct EventList: Sendable {
  let filter: EventFilter
  private var matches = Fifo<Int>()
  /// The number of matches whose events are dropped.
  private(set) var droppedCount = 0
  /// The first event that the filter has not seen.
  private var next = 1

  init(_ filter: EventFilter) { self.filter = filter }

  /// The number of matches until now, including those that are dropped.
  var count: Int { droppedCount + matches.count }

  /// The number of the event at a position; nil for none, and for one that is dropped.
  subscript(position: Int) -> Int? {
    let offset = position - droppedCount
    return offset >= 0 && offset < matches.count ? matches[offset] : nil
  }

  /// The position of the last match that is kept and not after an event; -1 if there is none.
  func position(of event: Int) -> Int {
    let laterOffset = matches.firstOffset { matches[$0] > event }
    return laterOffset == 0 ? -1 : droppedCount + laterOffset - 1
  }

  /// The part of the events that the filter has seen.
  func searchedPart(of events: Range<Int>) -> Double {
    if next >= events.upperBound || events.isEmpty { return 1 }
    return Double(max(0, next - events.lowerBound)) / Double(events.count)
  }

  /// Looks at some of the events that it has not seen; returns whether there are more.
  ///
  /// - Parameter hasText: whether an event has the text of the filter.
  mutating func search(_ log: EventLog, hasText: (String, RecordedEvent) -> Bool) -> Bool {
    let events = log.events
    while let first = matches.first, first < events.lowerBound {
      _ = matches.popFirst()
      droppedCount += 1
    }
    next = max(next, events.lowerBound)
    let text = filter.searchedText
    // Describing an event takes longer than looking at its kind by a factor of 100.
    let range = next..<min(events.upperBound, next + (text == nil ? 10_000 : 100))
    for number in found(in: log, range) {
      if let text {
        guard let event = log.event(number), hasText(text, event) else { continue }
      }
      matches.append(number)
    }
    next = range.upperBound
    return next < events.upperBound
  }

  /// The events that match all but the text.
  private func found(in log: EventLog, _ range: Range<Int>) -> [Int] {
    var found: [Int] = []
    // Some at a time: composers wait for the lock meanwhile.
    for start in stride(from: range.lowerBound, to: range.upperBound, by: 500) {
      let part = start..<min(start + 500, range.upperBound)
      found += log.events(in: part, matching: filter)
    }
    return found
  }
}
