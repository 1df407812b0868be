import TestSupport
import Testing

@testable import Sockets

@Suite("The handlers of descriptors", .workerPool) struct HandlerTableTests {
  private final class EmptyEventHandler: EventHandler {
    func ready(_ events: ReadyEvents) {}
    func loopStopped() {}
  }

  @Test func `a token finds its entry until the entry is removed`() {
    var table = HandlerTable()
    let tokens = (0..<3).map { table.insert(EmptyEventHandler(), descriptor: $0) }
    #expect(Set(tokens).count == 3 && !tokens.contains(0))
    #expect(tokens.map { table[$0]?.descriptor } == [0, 1, 2])
    #expect(table.remove(tokens[1])?.descriptor == 1)
    #expect(table[tokens[1]] == nil)
    #expect(table.remove(tokens[1]) == nil)
    #expect(table.handlers.count == 2)
  }

  @Test func `the token of a closed descriptor does not match the descriptor's next owner`() {
    var table = HandlerTable()
    var former: [UInt64] = []
    for _ in 0..<100 {
      let token = table.insert(EmptyEventHandler(), descriptor: 7)
      for old in former { #expect(table[old] == nil && table.remove(old) == nil) }
      #expect(table[token]?.descriptor == 7)
      former.append(token)
      _ = table.remove(token)
    }
    #expect(Set(former).count == 100)
  }

  @Test func `the handler table reuses its slots`() {
    var table = HandlerTable()
    func insert() -> [UInt64] {
      (0..<10).map { table.insert(EmptyEventHandler(), descriptor: $0) }
    }
    let tokens = insert()
    for token in tokens { _ = table.remove(token) }
    let places = Set(insert().map { UInt32(truncatingIfNeeded: $0) })
    #expect(places == Set(tokens.map { UInt32(truncatingIfNeeded: $0) }))
  }

  @Test func `a handler without a descriptor is retained, and released on removal`() {
    var table = HandlerTable()
    weak var handler: EmptyEventHandler?
    let token: UInt64
    do {
      let empty = EmptyEventHandler()
      handler = empty
      token = table.insert(empty)
    }
    #expect(handler != nil && table[token]?.descriptor == .none)
    _ = table.remove(token)
    #expect(handler == nil)
  }
}
