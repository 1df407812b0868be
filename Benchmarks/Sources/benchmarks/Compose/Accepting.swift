import Compose
import Foundation

extension Workload {
  /// One composer, many actions.
  static let accepting = [accept, acceptObserved, send, acceptOffMain, acceptFromTwoThreads]

  private static let accept = Workload(
    "compose/accept",
    "an action through composer.action.accept on the main queue",
    gates: [.nanoseconds(500), .keepsNothing(after: 1_000_000)]
  ) {
    let screen = Screen()
    return { count in
      for _ in 0..<count { screen.composer.action.accept(.increment) }
      return screen.composer.state.count
    }
  } loop: {
    Counter.loop()
  }

  private static let acceptObserved = Workload(
    "compose/acceptObserved",
    "the same with a driver that observes one property of the state",
    gates: [.keepsNothing(after: 100_000)]
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
  }

  private static let send = Workload(
    "compose/send",
    "an action that another one sent by an effect of .send",
    gates: [.keepsNothing(after: 100_000)]
  ) {
    let screen = Screen()
    return { count in
      if count > 0 { screen.composer.action.accept(.countDown(count)) }
      return screen.composer.state.count
    }
  } loop: {
    Counter.loop()
  }

  private static let acceptOffMain = Workload(
    "compose/acceptOffMain",
    "an action through Composed(sending:), reduced by whoever sends",
    gates: [.keepsNothing(after: 100_000)]
  ) {
    let counter = Composed(sending: Counter())
    return { count in
      for _ in 0..<count { counter.send(.increment) }
      return counter.state.count
    }
  } loop: {
    Counter.loop()
  }

  private static let acceptFromTwoThreads = Workload(
    "compose/twoThreads",
    "an action of one of two threads, reduced on the main queue, CPU of all three"
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
  }
}
