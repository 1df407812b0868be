#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The events of one source, in their order; the lock of the ``EventLog`` protects it.
struct EventQueue<Event: Sendable>: Sendable {
  struct Entry: Sendable {
    /// The number of the event among those of all sources.
    let number: Int
    let time: Date
    let event: Event
    /// The number of the event that was delivered on the thread; nil for none.
    var deliveredEvent: Int?
  }

  private(set) var entries = Fifo<Entry>()
  private var dropped: [Entry] = []
  /// The offset of the last entry that was looked for.
  private var lastOffset = 0

  /// Appends an event, whose number is larger than those before.
  mutating func append(_ entry: Entry) { entries.append(entry) }

  /// The offset of the event with this number; nil for none.
  mutating func offset(of number: Int) -> Int? {
    // A list of all events looks at one after the other.
    if isEntry(lastOffset + 1, number) {
      lastOffset += 1
      return lastOffset
    }
    lastOffset = firstOffset(from: number)
    return isEntry(lastOffset, number) ? lastOffset : nil
  }

  private func isEntry(_ offset: Int, _ number: Int) -> Bool {
    offset < entries.count && entries[offset].number == number
  }

  /// The offset of the first event with this number or a later one.
  func firstOffset(from number: Int) -> Int {
    entries.firstOffset { entries[$0].number >= number }
  }

  /// Removes the first event and returns it; it is kept until ``takeDropped()``.
  mutating func dropFirst() -> Entry? {
    let first = entries.popFirst()
    if let first { dropped.append(first) }
    return first
  }

  /// Returns the removed events, which the caller releases outside the lock.
  mutating func takeDropped() -> [Entry] {
    defer { dropped = [] }
    return dropped
  }
}

extension Fifo {
  /// The first offset for which `isAfter` returns true, as it does for all later ones.
  func firstOffset(where isAfter: (_ offset: Int) -> Bool) -> Int {
    var range = 0..<count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = isAfter(middle) ? range.lowerBound..<middle : (middle + 1)..<range.upperBound
    }
    return range.lowerBound
  }
}
