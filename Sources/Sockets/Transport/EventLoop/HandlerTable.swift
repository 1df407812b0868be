/// The handlers of descriptors, found by tokens that are never reused.
///
/// The system reuses descriptor numbers at once: without tokens, an event already fetched for a
/// closed descriptor would reach the next owner of its number.
struct HandlerTable {
  /// One per connection: it has the entry's parts, without padding between them.
  private struct Slot {
    var generation: UInt32 = 1
    var descriptor = Slot.noDescriptor
    var handler: (any EventHandler)?

    private static let noDescriptor: Int32 = -1

    var entry: Entry? {
      get {
        handler.map {
          Entry(descriptor: descriptor == Self.noDescriptor ? nil : descriptor, handler: $0)
        }
      }
      set {
        handler = newValue?.handler
        descriptor = newValue?.descriptor ?? Self.noDescriptor
      }
    }
  }

  struct Entry {
    /// Nil for a handler that the loop only retains until it stops.
    let descriptor: Int32?
    let handler: any EventHandler
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []

  /// Adds an entry and returns its token, which is never 0: generations start at 1.
  mutating func insert(_ entry: Entry) -> UInt64 {
    let index: UInt32
    if let reused = free.popLast() {
      index = reused
    } else {
      index = UInt32(slots.count)
      slots.append(Slot())
    }
    slots[Int(index)].entry = entry
    return UInt64(slots[Int(index)].generation) << 32 | UInt64(index)
  }

  subscript(token: UInt64) -> Entry? {
    let slot = slots[Self.index(token)]
    return slot.generation == UInt32(token >> 32) ? slot.entry : nil
  }

  /// Removes and returns an entry; nil if it was removed already.
  mutating func remove(_ token: UInt64) -> Entry? {
    guard let entry = self[token] else { return nil }
    let index = Self.index(token)
    slots[index].entry = nil
    slots[index].generation &+= 1
    // A slot without unused generations is retired: its tokens would repeat.
    if slots[index].generation != 0 { free.append(UInt32(index)) }
    return entry
  }

  var entries: [Entry] { slots.compactMap(\.entry) }

  private static func index(_ token: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: token)) }
}
