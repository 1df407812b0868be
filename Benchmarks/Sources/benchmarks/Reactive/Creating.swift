import Reactive

extension Workload {
  /// Sources that make their elements.
  static let creating = [range, fromArray]

  private static let range = Workload(
    "reactive/range",
    "an element of one long range, subscribed anew for each batch",
    gates: [.stored(.allocations), .stored(.instructions)],
    targets: [.shareOfRxSwift(0.004), .times(3.3, .loop)]
  ) {
    let tally = Tally()
    return { count in
      let numbers = Observable.range(start: 0, count: count).added(to: tally)
      numbers.dispose()
      return tally.take()
    }
  } loop: {
    ByHand.calling { $0.add }
  }

  private static let fromArray = Workload(
    "reactive/fromArray",
    "an element of one long array, subscribed anew for each batch",
    gates: [.stored(.allocations)],
    targets: [.shareOfRxSwift(0.004), .times(3.3, .loop)]
  ) {
    let tally = Tally()
    let numbers = Numbers()
    return { count in
      let subscription = Observable.from(numbers.first(count)).added(to: tally)
      subscription.dispose()
      return tally.take()
    }
  } loop: {
    let tally = Tally()
    let add = tally.add
    let numbers = Numbers()
    return { count in
      for element in numbers.first(count) { add(element) }
      return tally.take()
    }
  }

  /// An array that is made once for all batches of a length.
  @MainActor
  final class Numbers {
    private var numbers: [Int] = []

    func first(_ count: Int) -> [Int] {
      if numbers.count != count { numbers = Array(0..<count) }
      return numbers
    }
  }
}
