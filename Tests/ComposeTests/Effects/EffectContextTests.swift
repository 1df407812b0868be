import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import Compose

@Suite("EffectContext", .workerPool) struct EffectContextTests {
  private let time = VirtualTime()
  private var context: EffectContext { EffectContext(scheduler: time.scheduler) }

  @Test func `outside effects EffectContext is nil and its clock is the main queue's`() {
    #expect(EffectContext.ambient == nil && !EffectContext.isReducing)
    #expect(EffectContext.clock as? MainScheduler === MainScheduler.instance)
  }

  @Test func `EffectContext.current is the context of the reducer on this thread`() {
    let (outer, inner) = (context, context)
    outer.reducing {
      #expect(EffectContext.isReducing && EffectContext.ambient === outer)
      inner.reducing { #expect(EffectContext.ambient === inner) }
      // An effect that starts inside a reducer is not a reducer.
      inner.run {
        #expect(EffectContext.ambient === inner && EffectContext.current === inner)
        #expect(!EffectContext.isReducing)
      }
      #expect(EffectContext.ambient === outer)
    }
    #expect(EffectContext.ambient == nil && !EffectContext.isReducing)
  }

  @Test func `the tasks of an effect have its context, and detached tasks have none`() async {
    let context = context
    let task = context.run { Task { EffectContext.ambient === context } }
    #expect(await task.value)
    let detached = context.run { Task.detached { EffectContext.ambient == nil } }
    #expect(await detached.value)
  }

  @Test func `EffectContext.sleep uses the context's clock, and throws when it is cancelled`()
    async throws
  {
    let context = context
    let events = EventRecorder<String>()
    let began = AsyncStream.makeStream(of: Void.self)
    let scheduler = time.scheduler
    let task = context.run {
      Task {
        began.continuation.finish()
        do {
          try await EffectContext.sleep(.seconds(3_600))
          events.append("slept")
        } catch { events.append("\(type(of: error))") }
      }
    }
    for await _ in began.stream {}
    // The task may not have started to sleep yet.
    for _ in 0..<100_000 where scheduler.nextTime == nil { await Task.yield() }
    #expect(scheduler.nextTime != nil)
    task.cancel()
    await task.value
    #expect(events.events == ["CancellationError"])
  }

  @Test func `each EffectContext owner has its own effects of an id`()
    throws
  {
    #expect(context.identifiedEffects(for: 1) == nil)
    final class Owner: Sendable {}
    let store = StoreCore(ManualExecutor(), emptyEffect: Owner())
    let owners = [Owner(), Owner()]
    let registry = EffectsByID(store)
    let parent = EffectContext(
      context.dependencies, nil, nil, registry, owner: nil, identity: registry)
    let children = owners.map { parent.embedded(owner: $0, identity: $0) }
    let effects = try [parent, children[0], children[1]].map {
      try #require($0.identifiedEffects(for: 1))
    }
    #expect(Set(effects.map(ObjectIdentifier.init)).count == 3)
    #expect(parent.identifiedEffects(for: 1) === effects[0])
    #expect(children[1].identifiedEffects(for: 1) === effects[2])
    #expect(children[0].scheduler as AnyObject === time.scheduler as AnyObject)
  }
}
