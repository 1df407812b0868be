import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("EffectLedger", .workerPool)
struct EffectLedgerTests {

  @Test func `an effect has its id, its origin, its actions and its end`() throws {
    let sample = InspectedSample()
    sample.send(.load(query: "a"))
    let composers = sample.log.composers
    let ledger = sample.log.withLock { _ in composers[0].ledger }
    #expect(ledger.running.isEmpty)
    let effect = try #require(ledger[1])
    #expect(effect.name == EffectName(id: "load", kind: .run))
    #expect(effect.origin == .step(1))
    #expect(effect.emissionCount == 1)
    #expect(effect.end?.outcome == .completed)
  }

  @Test func `a running effect has no end`() throws {
    let sample = InspectedSample()
    sample.send(.watch(true), .poll)
    let composers = sample.log.composers
    let running = sample.log.withLock { _ in composers[0].ledger.running }
    #expect(running[1]?.origin == .stateEffect("watch"))
    #expect(running[2]?.origin == .step(2))
    #expect(running[1]?.end == nil && running[2]?.end == nil)
    sample.send(.watch(false), .stop)
    let ended = sample.log.withLock { _ in composers[0].ledger }
    #expect(ended.running.isEmpty)
    #expect(ended[1]?.end?.outcome == .cancelled)
    #expect(ended[2]?.end?.outcome == .cancelled)
  }

  @Test func `only the last thousand ended effects are kept`() {
    let sample = InspectedSample()
    for _ in 0..<1_100 { sample.send(.load(query: "")) }
    let composers = sample.log.composers
    let ledger = sample.log.withLock { _ in composers[0].ledger }
    #expect(ledger.ended.count == 1_000)
    #expect(ledger[100] == nil)
    #expect(ledger[1_100]?.end != nil)
  }
}
