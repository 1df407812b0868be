import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose

/// The slot of an id alone; what effects make of it is IdentifiedTests'.
@Suite("The slot of an id", .workerPool) struct EffectSlotTests {
  private final class Owner: Sendable {}

  private let store = StoreCore(Jobs(), nothing: Owner())
  private let owner = Owner()
  private let time = VirtualTime()

  private func slot(_ slots: EffectSlots? = nil, _ id: Int = 1) -> EffectSlot {
    let slots = slots ?? EffectSlots(store)
    return slots.slot(for: .init(owner: owner, id: AnyHashable(id)))
  }

  @Test func `together all run, until they are cancelled`() {
    let (slot, effects) = (slot(), [Lifetime(), Lifetime()])
    for effect in effects { slot.admit(effect, .together) }
    #expect(effects.map(\.isDisposed) == [false, false])
    slot.cancel(before: slot.nextNumber())
    #expect(effects.map(\.isDisposed) == [true, true])
    let next = Lifetime()
    slot.admit(next, .together)
    #expect(!next.isDisposed)
  }

  @Test func `the new one replaces, or is ignored while one runs`() {
    let (slot, effects) = (slot(), (0..<4).map { _ in Lifetime() })
    slot.admit(effects[0], .together)
    slot.admit(effects[1], .replace)
    #expect(effects.map(\.isDisposed) == [true, false, false, false])
    slot.admit(effects[2], .ignore)
    #expect(effects.map(\.isDisposed) == [true, false, true, false])
    effects[1].dispose()
    slot.admit(effects[3], .ignore)
    #expect(!effects[3].isDisposed)
  }

  @Test func `what was made before a cancellation does not start, what was made after it does`() {
    let slot = slot()
    let numbers = (0..<3).map { _ in slot.nextNumber() }
    slot.cancel(before: numbers[1])
    #expect(numbers.map(slot.isValid) == [false, false, true])
    // An older cancellation that comes later takes nothing back.
    slot.cancel(before: numbers[0])
    #expect(numbers.map(slot.isValid) == [false, false, true])
  }

  @Test func `throttled, the first starts at once and the rest wait for the interval's end`() {
    let slot = slot()
    func wait(latest: Bool = true, isDue: Bool = false) -> RxTimeInterval? {
      slot.throttle(.seconds(10), latest: latest, isDue: isDue, time.scheduler)
    }
    #expect(wait()?.nanoseconds == 0)
    time.advance(by: .seconds(4))
    #expect(wait()?.nanoseconds == 6_000_000_000)
    #expect(wait(latest: false) == nil)
    #expect(wait(isDue: true)?.nanoseconds == 0)
    time.advance(by: .seconds(10))
    #expect(wait()?.nanoseconds == 0)
    slot.cancel(before: slot.nextNumber())
    // The interval has ended with it.
    #expect(wait()?.nanoseconds == 0)
  }

  @Test func `one that waits gives way to the next that does, and to a cancellation`() {
    let (slot, effects) = (slot(), [Lifetime(), Lifetime()])
    for effect in effects { slot.wait(effect) }
    #expect(effects.map(\.isDisposed) == [true, false])
    slot.cancel(before: slot.nextNumber())
    #expect(effects.map(\.isDisposed) == [true, true])
  }

  @Test func `is one for an id of an owner, and is forgotten with its last effect`() {
    let slots = EffectSlots(store)
    var first: EffectSlot? = slot(slots, 1)
    #expect(first === slot(slots, 1) && first !== slot(slots, 2))
    let other = slots.slot(for: .init(owner: Owner(), id: AnyHashable(1)))
    #expect(first !== other)
    first?.cancel(before: 5)
    first = nil
    // Another one, which knows of no cancellation.
    #expect(slot(slots, 1).isValid(1))
  }
}
