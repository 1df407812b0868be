import Reactive

extension Workload {
  /// The life of subscriptions.
  static let subscribing = [subscribe3, bag]

  private static let subscribe3 = Workload(
    "reactive/subscribe3",
    "three stages built on create, subscribed, sent one element, disposed of",
    gates: [.keepsNothing(after: 100_000)]
  ) {
    let tally = Tally()
    return { count in
      for element in 0..<count {
        let source = Observable<Int>.create { observer in
          observer.onNext(element)
          return Disposables.create()
        }
        source.map(UserCode.triple).filter(UserCode.isEven).map(UserCode.increment)
          .subscribe(onNext: tally.add)
          .dispose()
      }
      return tally.take()
    }
  }

  private static let bag = Workload(
    "reactive/bag",
    "a subscription into a bag that holds a thousand, and out of it",
    gates: [.keepsNothing(after: 100_000)]
  ) {
    let tally = Tally()
    let bag = DisposeBag()
    for _ in 0..<1000 { bag.insert(Disposables.create {}) }
    return { count in
      for element in 0..<count {
        let subscription = Disposables.create { [add = tally.add] in add(element) }
        bag.insert(subscription)
        subscription.dispose()
      }
      return tally.take()
    }
  }
}
