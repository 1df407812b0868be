#if PEERS
import AsyncAlgorithms
import Dispatch

/// The same work written for async sequences, where checksums can agree: the result of
/// `combineLatest` of two streams depends on their interleaving.
@MainActor
enum AsyncContenders {
  static let all: [String: Contender.Preparation] = [
    "reactive/subject": { consuming { await add($0[0], $1) } },
    "reactive/map3": {
      consuming {
        let stages = $0[0].map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
        await add(stages, $1)
      }
    },
    "reactive/merge4": {
      consuming(streams: 4) { await add(merge(merge($0[0], $0[1]), merge($0[2], $0[3])), $1) }
    },
    "reactive/zip2": {
      consuming(streams: 2) {
        await add(zip($0[0], $0[1]).map { UserCode.add($0, $1) }, $1)
      } send: { element, streams in
        for stream in streams { stream.yield(element) }
      }
    },
  ]

  /// Sends the elements into streams that a task reads, as `consume` says.
  private static func consuming(
    streams: Int = 1,
    _ consume:
      @escaping @Sendable ([AsyncStream<Int>], @escaping @Sendable (Int) -> Void) async -> Void,
    send: @escaping (Int, [AsyncStream<Int>.Continuation]) -> Void = { element, streams in
      streams[element % streams.count].yield(element)
    }
  ) -> Contender.Body {
    let tally = Tally()
    return { [add = tally.add] count in
      let pairs = (0..<streams).map { _ in AsyncStream.makeStream(of: Int.self) }
      let (outputs, inputs) = (pairs.map(\.stream), pairs.map(\.continuation))
      let done = DispatchSemaphore(value: 0)
      Task.detached {
        await consume(outputs, add)
        done.signal()
      }
      for element in 0..<count { send(element, inputs) }
      for input in inputs { input.finish() }
      done.wait()
      return tally.take()
    }
  }

  private nonisolated static func add<Elements: AsyncSequence>(
    _ elements: Elements,
    _ add: @Sendable (Int) -> Void
  ) async where Elements.Element == Int, Elements.Failure == Never {
    for await element in elements { add(element) }
  }
}
#endif
