import Foundation
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

  @Test func `an action whose step is recorded after the end of its effect is counted`() {
    var ledger = EffectLedger()
    let step = TypedStep<Int, String>.make(
      number: 2, source: .effect(7), actions: .one("done"), change: nil, state: 1)
    let events: [ProgramEvent] = [
      .effect(.started(7, .step(1), .none)),
      .effect(.ended(7, EffectEnd(outcome: .completed), .none)), .step(step),
    ]
    for (number, event) in events.enumerated() {
      ledger.note(event, number + 1, .now, endedLimit: 10)
    }
    #expect(ledger[7]?.emissionCount == 1)
    #expect(ledger.running.isEmpty)
  }
}
