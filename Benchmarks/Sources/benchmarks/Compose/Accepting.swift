import Compose
import Foundation

extension Workload {
  /// One composer, many actions.
  static let accepting = [
    accept, acceptObserved, send, group, acceptOffMain, acceptFromTwoThreads, run, copying, inPlace,
  ]

  private static let accept = Workload(
    "compose/accept",
    "an action through composer.action.accept on the main queue",
    gates: [.keepsNothing(after: 1_000_000), .stored(.allocations), .stored(.instructions)],
    targets: [.nanoseconds(320)]
  ) {
    let screen = Screen()
    return { count in
      for _ in 0..<count { screen.composer.action.accept(.increment) }
      return screen.composer.state.count
    }
  } loop: {
    Counter.loop()
  } store: {
    let store = Store()
    return { count in
      for _ in 0..<count { store.accept(.increment) }
      return store.state.count
    }
  } actor: {
    CountingActor.accepting()
  }

  private static let acceptObserved = Workload(
    "compose/acceptObserved",
    "the same with a driver that observes one property of the state",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)],
    targets: [.nanoseconds(574)]
  ) {
    let tally = Tally()
    let screen = Screen()
    tally.keep(
      screen.composer.$state.observable.map(\.count).drive(onNext: { [add = tally.add] in add($0) })
    )
    return { count in
      for _ in 0..<count { screen.composer.action.accept(.increment) }
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let add = tally.add
    let reduceOne = Counter.loop()
    return { count in
      for _ in 0..<count { add(reduceOne(1)) }
      return tally.take()
    }
  } store: {
    let tally = Tally()
    let store = Store(observer: tally.add)
    return { count in
      for _ in 0..<count { store.accept(.increment) }
      return tally.take()
    }
  }

  private static let send = Workload(
    "compose/send",
    "an action that another one sent by an effect of .send",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)],
    targets: [.nanoseconds(299)]
  ) {
    let screen = Screen()
    return { count in
      if count > 0 { screen.composer.action.accept(.countDown(count)) }
      return screen.composer.state.count
    }
  } loop: {
    Counter.loop()
  } store: {
    let store = Store()
    return { count in
      if count > 0 { store.accept(.countDown(count)) }
      return store.state.count
    }
  }

  private static let acceptOffMain = Workload(
    "compose/acceptOffMain",
    "an action through Composed(sending:), reduced by the sender",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)],
    targets: [.nanoseconds(202)]
  ) {
    let counter = Composed(sending: Counter())
    return { count in
      for _ in 0..<count { counter.send(.increment) }
      return counter.state.count
    }
  } loop: {
    Counter.loop()
  } actor: {
    CountingActor.accepting()
  }

  private static let acceptFromTwoThreads = Workload(
    "compose/twoThreads",
    "an action of one of two threads, reduced on the main queue, CPU of all three",
    targets: [.nanoseconds(741)]
  ) {
    let screen = Screen()
    return { count in
      let action = screen.composer.action
      let target = screen.composer.state.count + count
      for share in [count / 2, count - count / 2] {
        DispatchQueue.global().async { for _ in 0..<share { action.accept(.increment) } }
      }
      while screen.composer.state.count < target {
        _ = RunLoop.main.run(mode: .default, before: .distantFuture)
      }
      return target
    }
  } loop: {
    Counter.loop()
  } actor: {
    CountingActor.calling(CountingActor.incrementFromTwoTasks)
  }

  private static let group = Workload(
    "compose/group",
    "an action of a group of ten, reduced as one step",
    deliveries: 10,
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)]
  ) {
    let counter = Composed(sending: Counter())
    return { count in
      for _ in 0..<count { counter.send(.group) }
      return counter.state.count
    }
  } loop: {
    let reduce = Counter.loop()
    return { count in reduce(10 * count) }
  } store: {
    let store = Store()
    return { count in
      for _ in 0..<count { store.accept(.group) }
      return store.state.count
    }
  }

  private static let run = Workload(
    "compose/run",
    "an action that starts an async effect, and the one that it sends to the main queue",
    targets: [.nanoseconds(5_499)]
  ) {
    let screen = Screen()
    return { count in
      let target = screen.composer.state.count + count
      for _ in 0..<count { screen.composer.action.accept(.run) }
      while screen.composer.state.count < target {
        _ = RunLoop.main.run(mode: .default, before: .distantFuture)
      }
      return target
    }
  } actor: {
    CountingActor.calling(CountingActor.incrementFromTaskEach)
  }

  private static let copying = Workload(
    "compose/copying",
    "an action that changes one of 10,000 elements of the state, which is copied",
    gates: [.keepsNothing(after: 10_000), .stored(.allocations)],
    targets: [.nanoseconds(2_352)]
  ) {
    let big = Composed(sending: Big())
    return { count in
      for index in 0..<count { big.send(index) }
      return big.state.count
    }
  }

  private static let inPlace = Workload(
    "compose/inPlace",
    "the same with reducesInPlace",
    gates: [.keepsNothing(after: 100_000), .stored(.allocations), .stored(.instructions)],
    targets: [.nanoseconds(220)]
  ) {
    let big = Composed(sending: BigInPlace())
    return { count in
      for index in 0..<count { big.send(index) }
      return big.state.count
    }
  }
}
