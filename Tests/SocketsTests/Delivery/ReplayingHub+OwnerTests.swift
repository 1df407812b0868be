import Reactive
import TestSupport
import Testing

@testable import Sockets

@Suite("A stream with an owner", .workerPool) struct KeptStreamsTests {
  private final class Owner: Sendable {}

  @Test func `an observed stream retains its owner`() {
    let stream = ReplayingHub<Int>(capacity: 4)
    weak var owner: Owner?
    var subscription: (any Disposable)?
    do {
      let made = Owner()
      owner = made
      subscription = stream.observable(keeping: made).subscribe()
    }
    #expect(owner != nil)
    subscription?.dispose()
    #expect(owner == nil)
    do {
      let made = Owner()
      owner = made
      subscription = stream.observable(keeping: made).subscribe()
    }
    stream.hub.end(nil)
    #expect(owner == nil)
    subscription?.dispose()
  }

  @Test func `a stream with an owner replays its last element and its end to later observers`() {
    let (stream, owner) = (ReplayingHub<Int>(capacity: 2), Owner())
    let received = Locked<[[String]]>([[], []])
    func observe(_ index: Int) -> any Disposable {
      stream.observable(keeping: owner).subscribe(
        onNext: { element in received.withLock { $0[index].append("\(element)") } },
        onCompleted: { received.withLock { $0[index].append("|") } }
      )
    }
    for element in 1...3 { stream.next(element) }
    let first = observe(0)
    stream.next(4)
    stream.hub.end(nil)
    let second = observe(1)
    #expect(received.withLock { $0 } == [["2", "3", "4", "|"], ["3", "4", "|"]])
    first.dispose()
    second.dispose()
  }
}
