import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose

/// Tests `EffectsOfOneID` without a composer; `CancelByIDTests` tests its use by effects.
@Suite("EffectsOfOneID", .workerPool) struct EffectsOfOneIDTests {
  private final class Owner: Sendable {}

  private let store = StoreCore(ManualExecutor(), emptyEffect: Owner())
  private let owner = Owner()
  private let time = VirtualTime()

  private func identified(
    _ registry: EffectsByID? = nil, _ id: Int = 1
  ) -> EffectsOfOneID {
    let registry = registry ?? EffectsByID(store)
    return registry.effects(for: .init(owner: owner, id: AnyHashable(id)))
  }

  @Test func `effects of one id run together until the id is cancelled`() {
    let identified = identified()
    let effects = [Lifetime(), Lifetime()]
    for effect in effects { identified.insert(effect, .together) }
    #expect(effects.map(\.isDisposed) == [false, false])
    identified.cancel(invalidatingBefore: identified.nextNumber())
    #expect(effects.map(\.isDisposed) == [true, true])
    let next = Lifetime()
    identified.insert(next, .together)
    #expect(!next.isDisposed)
  }

  @Test func `a new effect of an id replaces the running effects, or is ignored while one runs`() {
    let identified = identified()
    let effects = (0..<4).map { _ in Lifetime() }
    identified.insert(effects[0], .together)
    identified.insert(effects[1], .replace)
    #expect(effects.map(\.isDisposed) == [true, false, false, false])
    identified.insert(effects[2], .ignore)
    #expect(effects.map(\.isDisposed) == [true, false, true, false])
    effects[1].dispose()
    identified.insert(effects[3], .ignore)
    #expect(!effects[3].isDisposed)
  }

  @Test func `an effect that is cancelled while it starts does not run`() {
    let identified = identified()
    let (start, effect) = (EffectTicket.Start.first(number: identified.nextNumber()), Lifetime())
    #expect(identified.isAllowed(start))
    identified.cancel(invalidatingBefore: identified.nextNumber())
    identified.insert(effect, .together, as: start)
    #expect(effect.isDisposed)
  }

  @Test(arguments: [true, false])
  func `an effect starts again after a failure unless its id was cancelled or replaced since`(
    isCancelled: Bool
  ) {
    let identified = identified()
    let effects = (0..<4).map { _ in Lifetime() }
    let failed = EffectTicket.Start.afterFailure(
      replacements: identified.insert(effects[0], .together))
    identified.insert(effects[1], .together)
    #expect(identified.isAllowed(failed))
    if isCancelled {
      identified.cancel(invalidatingBefore: identified.nextNumber())
    } else {
      identified.insert(effects[2], .replace)
    }
    #expect(!identified.isAllowed(failed))
    #expect(identified.isAllowed(.again))
    identified.insert(effects[3], .replace, as: failed)
    #expect(effects.map(\.isDisposed) == [true, true, false, true])
  }

  @Test func `an effect that has ended and waits for the release of a part is not running`() {
    let identified = identified()
    let (effect, next) = (Lifetime(), Lifetime())
    let part = Lifetime(parent: effect)
    identified.insert(effect, .ignore)
    part.add(
      Disposables.create {
        effect.dispose()
        identified.insert(next, .ignore)
      })
    part.dispose()
    #expect(!next.isDisposed)
  }

  @Test func `a cancellation invalidates the effects that were created before it`() {
    let identified = identified()
    let numbers = (0..<3).map { _ in identified.nextNumber() }
    identified.cancel(invalidatingBefore: numbers[1])
    let starts = numbers.map(EffectTicket.Start.first)
    #expect(starts.map(identified.isAllowed) == [false, false, true])
    // An older cancellation that starts later does not validate any effect.
    identified.cancel(invalidatingBefore: numbers[0])
    #expect(starts.map(identified.isAllowed) == [false, false, true])
  }

  @Test func `throttle starts the first effect at once and delays the next to the interval's end`()
  {
    let identified = identified()
    func start(latest: Bool = true, isDue: Bool = false) -> EffectsOfOneID.ThrottledStart {
      identified.throttledStart(
        every: .seconds(10), latest: latest, isDue: isDue, time.scheduler)
    }
    #expect(start() == .now)
    time.advance(by: .seconds(4))
    #expect(start() == .after(.seconds(6)))
    #expect(start(latest: false) == .never)
    #expect(start(isDue: true) == .now)
    time.advance(by: .seconds(10))
    #expect(start() == .now)
    identified.cancel(invalidatingBefore: identified.nextNumber())
    // The cancellation has ended the interval.
    #expect(start() == .now)
  }

  @Test func `a waiting effect is disposed of by the next waiting effect and by a cancellation`() {
    let identified = identified()
    let effects = [Lifetime(), Lifetime()]
    for effect in effects { identified.replaceWaiting(with: effect) }
    #expect(effects.map(\.isDisposed) == [true, false])
    identified.cancel(invalidatingBefore: identified.nextNumber())
    #expect(effects.map(\.isDisposed) == [true, true])
  }

  @Test func `each id of an owner has its own effects, which are released when unused`() {
    let registry = EffectsByID(store)
    var first: EffectsOfOneID? = identified(registry, 1)
    #expect(first === identified(registry, 1) && first !== identified(registry, 2))
    let other = registry.effects(for: .init(owner: Owner(), id: AnyHashable(1)))
    #expect(first !== other)
    first?.cancel(invalidatingBefore: 5)
    first = nil
    // A new object without the cancellation.
    #expect(identified(registry, 1).isAllowed(.first(number: 1)))
  }
}
