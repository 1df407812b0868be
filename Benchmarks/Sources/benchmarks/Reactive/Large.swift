import Reactive

extension Workload {
  /// Elements of 200 bytes, which are copied.
  static let large = [
    subjectLarge, combineLatestLarge, withLatestFromLarge, behaviorLarge, bufferLarge,
  ]

  private static let subjectLarge = Workload(
    "reactive/subjectLarge",
    "an element of 200 bytes through a PublishSubject",
    gates: [.allocations(0), .stored(.instructions)]
  ) {
    sending { $0.asObservable() }
  }

  private static let combineLatestLarge = Workload(
    "reactive/combineLatestLarge",
    "an element of 200 bytes of one of two subjects, combined with the other's latest",
    gates: [.allocations(0), .stored(.instructions)]
  ) {
    let tally = Tally()
    let (left, right) = (PublishSubject<TwentyFive>(), PublishSubject<TwentyFive>())
    tally.keep(
      Observable.combineLatest(left, right) { $0.numbers.0 &+ $1.numbers.0 }.added(to: tally)
    )
    return { count in
      for element in 0..<count {
        let large = TwentyFive(number: element)
        if element & 1 == 0 { left.onNext(large) } else { right.onNext(large) }
      }
      return tally.take()
    }
  }

  private static let withLatestFromLarge = Workload(
    "reactive/withLatestFromLarge",
    "an element of 200 bytes, joined with the latest of the same size",
    gates: [.allocations(0), .stored(.instructions)]
  ) {
    sending { $0.withLatestFrom(Observable.never().startWith(TwentyFive(number: 1))) { $1 } }
  }

  private static let behaviorLarge = Workload(
    "reactive/behaviorLarge",
    "an element of 200 bytes through a BehaviorSubject",
    gates: [.allocations(0), .stored(.instructions)]
  ) {
    let tally = Tally()
    let subject = BehaviorSubject(value: TwentyFive(number: 0))
    tally.keep(subject.subscribe(onNext: { [add = tally.add] in add($0.numbers.0) }))
    return { count in
      for element in 0..<count { subject.onNext(TwentyFive(number: element)) }
      return tally.take()
    }
  }

  private static let bufferLarge = Workload(
    "reactive/bufferLarge",
    "an element of 200 bytes into an array of a hundred",
    gates: [.stored(.allocations), .stored(.instructions)]
  ) {
    let clock = VirtualTimeScheduler(initialClock: 0, converter: TickConverter())
    return sending {
      $0.buffer(timeSpan: .seconds(100), count: 100, scheduler: clock).map { $0[0] }
    }
  }

  private static func sending(
    _ build: (PublishSubject<TwentyFive>) -> Observable<TwentyFive>
  ) -> Contender.Body {
    let tally = Tally()
    let subject = PublishSubject<TwentyFive>()
    tally.keep(build(subject).subscribe(onNext: { [add = tally.add] in add($0.numbers.0) }))
    return { count in
      for element in 0..<count { subject.onNext(TwentyFive(number: element)) }
      return tally.take()
    }
  }
}

/// 200 bytes.
struct TwentyFive {
  typealias Five = (Int, Int, Int, Int, Int)

  var numbers: Five
  var others: (Five, Five, Five, Five)

  @inline(never) init(number: Int) {
    let five = (number, number, number, number, number)
    numbers = five
    others = (five, five, five, five)
  }
}
