/// Who is told about which descriptor, found by a token that no later registration ever has.
///
/// Descriptor numbers are reused at once: an event that was already fetched for a closed descriptor
/// would otherwise reach the next owner of its number.
struct HandlerTable {
  /// There is one for each connection: the entry's parts, without room in between.
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
    /// Nil for one who only wants to live as long as the loop.
    let descriptor: Int32?
    let handler: any EventHandler
  }

  private var slots: [Slot] = []
  private var free: [UInt32] = []

  /// Returns the token; never 0, because generations start at 1.
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

  /// Returns what was registered; nil when it is already gone.
  mutating func remove(_ token: UInt64) -> Entry? {
    guard let entry = self[token] else { return nil }
    let index = Self.index(token)
    slots[index].entry = nil
    slots[index].generation &+= 1
    // A slot whose generations are used up is retired: its tokens would start to repeat.
    if slots[index].generation != 0 { free.append(UInt32(index)) }
    return entry
  }

  var entries: [Entry] { slots.compactMap(\.entry) }

  private static func index(_ token: UInt64) -> Int { Int(UInt32(truncatingIfNeeded: token)) }
}
