#if PEERS
import Dispatch
import OpenCombine
import OpenCombineDispatch

/// The same work written for OpenCombine, where it has the operators.
@MainActor
enum OpenCombineContenders {
  static let all: [String: Contender.Preparation] = workloads.merging(curves) { $1 }

  private static let curves: [String: Contender.Preparation] = {
    var curves: [String: Contender.Preparation] = [:]
    for count in Curve.stageCounts { curves["reactive/stages@\(count)"] = { maps(count) } }
    for count in Curve.observerCounts {
      curves["reactive/observers@\(count)"] = { subject(observers: count) }
    }
    return curves
  }()

  private static let workloads: [String: Contender.Preparation] = [
    "reactive/subject": { passing { $0 } },
    "reactive/subjectGeneric": { passing { $0 } },
    "reactive/relay": { passing { $0 } },
    "reactive/map3": map3,
    "reactive/map3Generic": map3,
    "reactive/stages20": stages20,
    "reactive/stages20Generic": stages20,
    "reactive/scanDistinct": { passing { $0.scan(0, UserCode.countOdd).removeDuplicates() } },
    "reactive/range": range,
    "reactive/fromArray": fromArray,
    "reactive/zip2": zip2,
    "reactive/flatMapJust": {
      passing { [triple = UserCode.triple] in $0.flatMap { Just(triple($0)) } }
    },
    "reactive/flatMapLive": {
      passing { [triple = UserCode.triple] in $0.flatMap { Just($0).map(triple) } }
    },
    "reactive/flatMapLatest3": { passing { $0.map(threeElements).switchToLatest() } },
    "reactive/concatMap3": {
      passing { $0.flatMap(maxPublishers: .max(1)) { threeElements($0) } }
    },
    "reactive/subject10": { subject(observers: 10) },
    "reactive/share10": { share(observers: 10) },
    "reactive/share1000": { share(observers: 1000) },
    "reactive/relay1000": relay1000,
    "reactive/subscribe3": subscribe3,
    "reactive/build3": build3,
    "reactive/churn10": { churn(held: 10) },
    "reactive/churn1k": { churn(held: 1000) },
    "reactive/churn100k": { churn(held: 100_000) },
    "reactive/bag10": { bag(held: 10) },
    "reactive/bag": { bag(held: 1000) },
    "reactive/bag100k": { bag(held: 100_000) },
    "reactive/observeOn": observeOn,
    "reactive/hop": hop,
    "reactive/twoThreads": twoThreads,
  ]

  /// Sends the elements through what `stages` builds on a subject.
  private static func passing<Stages: Publisher>(
    _ stages: (PassthroughSubject<Int, Never>) -> Stages
  ) -> Contender.Body where Stages.Output == Int, Stages.Failure == Never {
    let tally = Tally()
    let subject = PassthroughSubject<Int, Never>()
    tally.keep(stages(subject).added(to: tally))
    return { count in
      for element in 0..<count { subject.send(element) }
      return tally.take()
    }
  }

  private static func map3() -> Contender.Body {
    passing { $0.map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment) }
  }

  private static func stages20() -> Contender.Body {
    passing { subject in
      var stages = subject.eraseToAnyPublisher()
      for _ in 0..<10 {
        stages = stages.map(UserCode.increment).filter(UserCode.isAny).eraseToAnyPublisher()
      }
      return stages
    }
  }

  private static func maps(_ count: Int) -> Contender.Body {
    passing { subject in
      var stages = subject.eraseToAnyPublisher()
      for _ in 0..<count { stages = stages.map(UserCode.increment).eraseToAnyPublisher() }
      return stages
    }
  }

  private static func fromArray() -> Contender.Body {
    let tally = Tally()
    let numbers = Workload.Numbers()
    return { count in
      let subscription = numbers.first(count).publisher.added(to: tally)
      subscription.cancel()
      return tally.take()
    }
  }

  private static func churn(held: Int) -> Contender.Body {
    let tally = Tally()
    let subject = PassthroughSubject<Int, Never>()
    for _ in 0..<held { tally.keep(subject.added(to: tally)) }
    return { count in
      for _ in 0..<count { subject.added(to: tally).cancel() }
      return tally.take()
    }
  }

  private static func twoThreads() -> Contender.Body {
    let sum = SharedSum()
    // Subjects of OpenCombine have locks of their own.
    nonisolated(unsafe) let subject = PassthroughSubject<Int, Never>()
    let subscription = subject.sink(receiveValue: sum.add)
    return { count in
      Workload.onTwoThreads(count) { subject.send($0) }
      withExtendedLifetime(subscription) {}
      return sum.take()
    }
  }

  private static func hop() -> Contender.Body {
    let tally = Tally()
    let delivered = DispatchSemaphore(value: 0)
    let subject = PassthroughSubject<Int, Never>()
    let queue = DispatchQueue(label: "benchmarks.hop")
    let receive: @Sendable (Int) -> Void = { _ in delivered.signal() }
    tally.keep(subject.receive(on: queue.ocombine).sink(receiveValue: receive))
    return { count in
      for element in 0..<count {
        subject.send(element)
        delivered.wait()
      }
      withExtendedLifetime(tally) {}
      return count
    }
  }

  private static func range() -> Contender.Body {
    let tally = Tally()
    return { count in
      let numbers = (0..<count).publisher.added(to: tally)
      numbers.cancel()
      return tally.take()
    }
  }

  private static func zip2() -> Contender.Body {
    let tally = Tally()
    let (left, right) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let add = UserCode.add
    tally.keep(left.zip(right) { add($0, $1) }.added(to: tally))
    return { count in
      for element in 0..<count {
        left.send(element)
        right.send(element)
      }
      return tally.take()
    }
  }

  private static func subject(observers: Int) -> Contender.Body {
    let tally = Tally()
    let subject = PassthroughSubject<Int, Never>()
    for _ in 0..<observers { tally.keep(subject.added(to: tally)) }
    return { count in
      for element in 0..<count { subject.send(element) }
      return tally.take()
    }
  }

  /// Multicast by a subject that keeps the last element: the nearest it has to `share(replay: 1)`.
  private static func share(observers: Int) -> Contender.Body {
    let tally = Tally()
    let subject = PassthroughSubject<Int, Never>()
    let shared = subject.multicast(subject: CurrentValueSubject<Int, Never>(0)).autoconnect()
    for _ in 0..<observers { tally.keep(shared.added(to: tally)) }
    return { count in
      for element in 0..<count { subject.send(element) }
      return tally.take()
    }
  }

  private static func relay1000() -> Contender.Body {
    let tally = Tally()
    let relay = CurrentValueSubject<Int, Never>(0)
    for _ in 0..<1000 { tally.keep(relay.added(to: tally)) }
    return { count in
      for element in 0..<count { relay.send(element) }
      return tally.take()
    }
  }

  private static func subscribe3() -> Contender.Body {
    let tally = Tally()
    let stages = threeStages(2)
    return { count in
      for _ in 0..<count { stages.added(to: tally).cancel() }
      return tally.take()
    }
  }

  private static func build3() -> Contender.Body {
    let tally = Tally()
    return { count in
      for element in 0..<count { threeStages(element).added(to: tally).cancel() }
      return tally.take()
    }
  }

  /// `Just` is the source: OpenCombine has nothing like `create`.
  private static func threeStages(_ element: Int) -> some Publisher<Int, Never> {
    Deferred { Just(element) }
      .map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
  }

  /// A set of cancellables, which keeps ended ones: they are removed by hand.
  private static func bag(held: Int) -> Contender.Body {
    let tally = Tally()
    var bag = Set<AnyCancellable>()
    for _ in 0..<held { bag.insert(AnyCancellable {}) }
    return { count in
      for element in 0..<count {
        let subscription = AnyCancellable { [add = tally.add] in add(element) }
        bag.insert(subscription)
        subscription.cancel()
        bag.remove(subscription)
      }
      return tally.take()
    }
  }

  private static func observeOn() -> Contender.Body {
    let tally = Tally()
    let delivered = DispatchSemaphore(value: 0)
    let subject = PassthroughSubject<Int, Never>()
    let queue = DispatchQueue(label: "benchmarks.receiveOn")
    let receive: @Sendable (Int) -> Void = { [add = tally.add] element in
      if element == Workload.endOfBurst { delivered.signal() } else { add(element) }
    }
    tally.keep(subject.receive(on: queue.ocombine).sink(receiveValue: receive))
    return { count in
      Workload.forEachBurst(of: count) { burst in
        for element in burst { subject.send(element) }
        subject.send(Workload.endOfBurst)
        delivered.wait()
      }
      return tally.take()
    }
  }

  private nonisolated static func threeElements(_ first: Int) -> Publishers.Sequence<[Int], Never> {
    [first, first &+ 1, first &+ 2].publisher
  }
}
#endif
