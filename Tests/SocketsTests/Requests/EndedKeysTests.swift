import TestSupport
import Testing

@testable import Sockets

@Suite("The keys of requests that ended before their replies", .workerPool)
struct EndedKeysTests {
  private func key(_ number: Int) -> RequestKey {
    RequestKey(namespace: 0, value: AnyHashable(number))
  }

  @Test func `a key is removed once, with its reader`() {
    var keys = EndedKeys()
    #expect(keys.insert(key(1), of: 5) == nil)
    #expect(keys.remove(key(2)) == nil)
    #expect(keys.remove(key(1)) == 5)
    #expect(keys.remove(key(1)) == nil)
  }

  @Test func `above the limit the oldest key is forgotten`() {
    var keys = EndedKeys()
    for number in 0..<EndedKeys.limit { #expect(keys.insert(key(number), of: number) == nil) }
    #expect(keys.insert(key(-1), of: -1) == 0)
    #expect(keys.remove(key(0)) == nil)
    #expect(keys.removeAll().count == EndedKeys.limit)
    #expect(keys.removeAll().isEmpty)
  }

  @Test func `a key that was removed and added again is not forgotten early`() {
    var keys = EndedKeys()
    _ = keys.insert(key(0), of: 1)
    _ = keys.remove(key(0))
    _ = keys.insert(key(0), of: 2)
    for number in 1..<EndedKeys.limit { #expect(keys.insert(key(number), of: 1) == nil) }
    #expect(keys.remove(key(0)) == 2)
  }
}
