import TestSupport
import Testing

@testable import ReactiveTesting

extension LinkMeter.Passage {
  fileprivate init(_ arriving: Int, cuts: Bool = false) {
    self.init(arriving: arriving, cuts: cuts)
  }
}

@Suite("The bytes of one direction of a link", .workerPool)
struct LinkHalfTests {
  @Test func `all arrive under perfect conditions`() {
    var meter = LinkMeter(.init())
    let passage = meter.pass(1_000)
    #expect(passage == .init(1_000))
    #expect(meter.carried == 1_000)
  }

  @Test func `arrive up to the cut, which comes with the last of them`() {
    var meter = LinkMeter(.init(cutAfter: 10))
    let passages = [9, 5].map { meter.pass($0) }
    #expect(passages == [.init(9), .init(1, cuts: true)])
    var atOnce = LinkMeter(.init(cutAfter: 0))
    let first = atOnce.pass(1)
    #expect(first == .init(0, cuts: true))
  }

  @Test func `are lost after some, or when it is silent`() {
    var meter = LinkMeter(.init(dropsAfter: 10))
    let passages = [15, 15].map { meter.pass($0) }
    #expect(passages == [.init(10), .init(0)])
    var silent = LinkMeter(.init(cutAfter: 0))
    silent.isSilent = true
    let passage = silent.pass(15)
    #expect(passage == .init(0))
  }
}
