import Dispatch
import Reactive
import Synchronization

extension Workload {
  /// Two threads that send at once.
  static let contending = [twoThreads, mergeTwoThreads]

  private static let twoThreads = Workload(
    "reactive/twoThreads",
    "an element of one of two threads that send to the same subject, CPU of both",
    targets: [.shareOfRxSwift(0.1)]
  ) {
    let sum = SharedSum()
    let subject = PublishSubject<Int>()
    let subscription = subject.subscribe(onNext: sum.add)
    return { count in
      onTwoThreads(count) { subject.onNext($0) }
      withExtendedLifetime(subscription) {}
      return sum.take()
    }
  } loop: {
    loopOnTwoThreads()
  }

  private static let mergeTwoThreads = Workload(
    "reactive/mergeTwoThreads",
    "an element of one of two merged subjects, each with a thread that sends to it, CPU of both",
    targets: [.shareOfRxSwift(0.1)]
  ) {
    let sum = SharedSum()
    let subjects = (PublishSubject<Int>(), PublishSubject<Int>())
    let merged = Observable<Int>.merge(subjects.0, subjects.1)
    let subscription = merged.subscribe(onNext: sum.add)
    return { count in
      onTwoThreads(count) { element in
        if element & 1 == 0 { subjects.0.onNext(element) } else { subjects.1.onNext(element) }
      }
      withExtendedLifetime(subscription) {}
      return sum.take()
    }
  } loop: {
    loopOnTwoThreads()
  }

  private static func loopOnTwoThreads() -> Contender.Body {
    let sum = SharedSum()
    return { count in
      onTwoThreads(count) { sum.add($0) }
      return sum.take()
    }
  }

  /// Calls `body` with the even elements on one thread and with the odd ones on another.
  static func onTwoThreads(_ count: Int, _ body: @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: 2) { number in
      for element in stride(from: number, to: count, by: 2) { body(element) }
    }
  }
}

/// An observer that two threads may call at once.
final class SharedSum: Sendable {
  private let sum = Atomic(0)
  /// Adds an element.
  var add: @Sendable (Int) -> Void { opaque { [self] in sum.wrappingAdd($0, ordering: .relaxed) } }

  /// The sum since the last call of `take`.
  func take() -> Int { sum.exchange(0, ordering: .relaxed) }
}
