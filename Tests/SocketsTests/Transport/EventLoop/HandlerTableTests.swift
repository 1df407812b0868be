import TestSupport
import Testing

@testable import Sockets

@Suite("Who is told about which descriptor", .workerPool) struct HandlerTableTests {
  private final class Nobody: EventHandler {
    func ready(_ events: ReadyEvents) {}
    func loopStopped() {}
  }

  private func entry(_ descriptor: Int32?) -> HandlerTable.Entry {
    .init(descriptor: descriptor, handler: Nobody())
  }

  @Test func `a token finds its entry, until that is removed`() {
    var table = HandlerTable()
    let tokens = (0..<3).map { table.insert(entry($0)) }
    #expect(Set(tokens).count == 3 && !tokens.contains(0))
    #expect(tokens.map { table[$0]?.descriptor } == [0, 1, 2])
    #expect(table.remove(tokens[1])?.descriptor == 1)
    #expect(table[tokens[1]] == nil)
    #expect(table.remove(tokens[1]) == nil)
    #expect(table.entries.map(\.descriptor) == [0, 2])
  }

  @Test func `the token of a descriptor that was closed is not that of its next owner`() {
    var table = HandlerTable()
    var former: [UInt64] = []
    for _ in 0..<100 {
      let token = table.insert(entry(7))
      for old in former { #expect(table[old] == nil && table.remove(old) == nil) }
      #expect(table[token]?.descriptor == 7)
      former.append(token)
      _ = table.remove(token)
    }
    #expect(Set(former).count == 100)
  }

  @Test func `places are used again`() {
    var table = HandlerTable()
    let tokens = (0..<10).map { table.insert(entry($0)) }
    for token in tokens { _ = table.remove(token) }
    let places = Set((0..<10).map { UInt32(truncatingIfNeeded: table.insert(entry($0))) })
    #expect(places == Set(tokens.map { UInt32(truncatingIfNeeded: $0) }))
  }

  @Test func `a handler without a descriptor is kept like others, and let go of`() {
    var table = HandlerTable()
    weak var handler: Nobody?
    let token: UInt64
    do {
      let nobody = Nobody()
      handler = nobody
      token = table.insert(.init(descriptor: nil, handler: nobody))
    }
    #expect(handler != nil && table[token]?.descriptor == .none)
    _ = table.remove(token)
    #expect(handler == nil)
  }
}
