import TestSupport
import Testing

@testable import ReactiveTesting

extension LinkConditioner.Decision {
  fileprivate init(_ passedCount: Int, cuts: Bool = false) {
    self.init(passedCount: passedCount, cutsConnection: cuts)
  }
}

@Suite(.workerPool) struct LinkConditionerTests {
  @Test func `a link without faults delivers all bytes`() {
    var conditioner = LinkConditioner(.init())
    let decision = conditioner.receive(1_000)
    #expect(decision == .init(1_000))
    #expect(conditioner.passedCount == 1_000)
  }

  @Test func `a link delivers the bytes before the cut and cuts the connection with the last`() {
    var conditioner = LinkConditioner(.init(cutAfter: 10))
    let decisions = [9, 5].map { conditioner.receive($0) }
    #expect(decisions == [.init(9), .init(1, cuts: true)])
    var cutAtOnce = LinkConditioner(.init(cutAfter: 0))
    let first = cutAtOnce.receive(1)
    #expect(first == .init(0, cuts: true))
  }

  @Test func `a link drops the bytes after its limit, and all bytes when it is silent`() {
    var conditioner = LinkConditioner(.init(dropAfter: 10))
    let decisions = [15, 15].map { conditioner.receive($0) }
    #expect(decisions == [.init(10), .init(0)])
    var silent = LinkConditioner(.init(cutAfter: 0))
    silent.isSilent = true
    let decision = silent.receive(15)
    #expect(decision == .init(0))
  }
}
