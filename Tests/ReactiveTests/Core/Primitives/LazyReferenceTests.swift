import Reactive
import Synchronization
import TestSupport
import Testing

@Suite("LazyReference", .workerPool)
struct LazyReferenceTests {
  final class Object: Sendable {}

  final class Holder: Sendable {
    let lazy = LazyReference<Object>()
  }

  @Test func `a lazy reference creates one object for all threads`() {
    for _ in 0..<100 {
      let holder = Holder()
      #expect(holder.lazy.object == nil)
      let seen = Locked<Set<ObjectIdentifier>>([])
      onThreads(4) { _ in
        let object = holder.lazy.object { Object() }
        seen.withLock { _ = $0.insert(ObjectIdentifier(object)) }
      }
      #expect(seen.withLock { $0.count } == 1)
    }
  }

  @Test func `a lazy reference returns its object unretained without creating it`() {
    let holder = Holder()
    #expect(holder.lazy.unretained == nil)
    let object = holder.lazy.object { Object() }
    #expect(holder.lazy.unretained?.takeUnretainedValue() === object)
  }

  @Test func `a lazy reference releases its object with its owner`() {
    weak var object: Object?
    do {
      let holder = Holder()
      object = holder.lazy.object { Object() }
      #expect(object != nil)
      #expect(holder.lazy.object === object)
    }
    #expect(object == nil)
  }
}
