/// The handlers of descriptors, found by tokens that are never reused.
///
/// The system reuses descriptor numbers at once: without tokens, an event already fetched for a
/// closed descriptor would reach the next owner of its number.
struct HandlerTable {
  /// A handler and its descriptor; without a handler the entry is free.
  ///
  /// One per connection: the parts have no padding between them.
  struct Entry {
    fileprivate var generation: UInt32 = 1
    fileprivate var number: Int32 = -1
    fileprivate(set) var handler: (any EventHandler)?

    /// Nil for a handler that the loop only retains until it stops.
    var descriptor: Int32? { number < 0 ? nil : number }
  }

  private var entries: [Entry] = []
  private var free: [UInt32] = []

  /// Adds a handler and returns its token, which is never 0: generations start at 1.
  mutating func insert(_ handler: any EventHandler, descriptor: Int32? = nil) -> UInt64 {
    let index = free.popLast() ?? UInt32(entries.count)
    if index == entries.count { entries.append(Entry()) }
    entries[Int(index)].handler = handler
    entries[Int(index)].number = descriptor ?? -1
    return UInt64(entries[Int(index)].generation) << 32 | UInt64(index)
  }

  subscript(token: UInt64) -> Entry? {
    let entry = entries[Self.index(token)]
    return entry.generation == UInt32(token >> 32) ? entry : nil
  }

  /// Removes and returns an entry; nil if it was removed already.
  mutating func remove(_ token: UInt64) -> Entry? {
    guard let entry = self[token] else { return nil }
    let index = Self.index(token)
    entries[index].handler = nil
    entries[index].generation &+= 1
    // An entry without unused generations is retired: its tokens would repeat.
    if entries[index].generation != 0 { free.append(UInt32(index)) }
    return entry
  }

  var handlers: [any EventHandler] { entries.compactMap(\.handler) }

  private static func index(_ token: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: token)) }
}
