/// The keys of the last requests that ended before their replies, which may still arrive.
struct EndedKeys {
  private struct Entry {
    let number: Int
    let readerID: Int
  }

  /// How many keys are kept, at most.
  static let limit = 1_024

  private var entries: [RequestKey: Entry] = [:]
  /// The keys in the order of their insertion, with those that were removed later.
  private var order = Fifo<(key: RequestKey, number: Int)>()
  private var insertedCount = 0

  /// Adds a key that is not present; returns the reader of the key that is forgotten for it.
  mutating func insert(_ key: RequestKey, of readerID: Int) -> Int? {
    insertedCount += 1
    entries[key] = Entry(number: insertedCount, readerID: readerID)
    order.append((key, insertedCount))
    guard order.count > Self.limit, let oldest = order.popFirst(),
      entries[oldest.key]?.number == oldest.number
    else { return nil }
    return remove(oldest.key)
  }

  /// Removes a key, and returns its reader; nil when the key is not present.
  mutating func remove(_ key: RequestKey) -> Int? { entries.removeValue(forKey: key)?.readerID }

  /// Removes all keys, and returns their readers.
  mutating func removeAll() -> [Int] {
    defer { self = EndedKeys() }
    return entries.values.map(\.readerID)
  }
}
