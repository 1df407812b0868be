import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose

@Suite("What an effect finds", .workerPool) struct EffectContextTests {
  private let time = VirtualTime()
  private var context: EffectContext { EffectContext(scheduler: time.scheduler) }

  @Test func `is nobody's outside of effects, on the main queue's clock`() {
    #expect(EffectContext.here == nil && !EffectContext.isReducing)
    #expect(EffectContext.clock as? MainScheduler === MainScheduler.instance)
  }

  @Test func `is the context of the reducer on this thread, and of what it runs inside`() {
    let (outer, inner) = (context, context)
    outer.reducing {
      #expect(EffectContext.isReducing && EffectContext.here === outer)
      inner.reducing { #expect(EffectContext.here === inner) }
      // An effect that starts inside of a reducer is none.
      inner.run {
        #expect(EffectContext.here === inner && EffectContext.current === inner)
        #expect(!EffectContext.isReducing)
      }
      #expect(EffectContext.here === outer)
    }
    #expect(EffectContext.here == nil && !EffectContext.isReducing)
  }

  @Test func `goes with the tasks of an effect`() async {
    let context = context
    let task = context.run { Task { EffectContext.here === context } }
    #expect(await task.value)
    let detached = context.run { Task.detached { EffectContext.here == nil } }
    #expect(await detached.value)
  }

  @Test func `sleeps by its clock, until it is cancelled`() async throws {
    let (context, notes) = (context, Notes<String>())
    let began = AsyncStream.makeStream(of: Void.self)
    let scheduler = time.scheduler
    let task = context.run {
      Task {
        began.continuation.finish()
        do {
          try await EffectContext.sleep(.seconds(3_600))
          notes.add("slept")
        } catch { notes.add("\(type(of: error))") }
      }
    }
    for await _ in began.stream {}
    // It may not yet have gone to sleep.
    for _ in 0..<100_000 where scheduler.nextTime == nil { await Task.yield() }
    #expect(scheduler.nextTime != nil)
    task.cancel()
    await task.value
    #expect(notes.all == ["CancellationError"])
  }

  @Test func `gives ids no slot where the effects are nobody's, and one to each embedding`() throws
  {
    #expect(context.slot(for: 1) == nil)
    final class Owner: Sendable {}
    let (store, owners) = (StoreCore(Jobs(), nothing: Owner()), [Owner(), Owner()])
    let slots = EffectSlots(store)
    let parent = EffectContext(context, slots, of: nil, slots)
    let children = owners.map { parent.embedding($0, $0) }
    let made = try [parent, children[0], children[1]].map { try #require($0.slot(for: 1)) }
    #expect(Set(made.map(ObjectIdentifier.init)).count == 3)
    #expect(parent.slot(for: 1) === made[0] && children[1].slot(for: 1) === made[2])
    #expect(children[0].scheduler as AnyObject === time.scheduler as AnyObject)
  }
}
