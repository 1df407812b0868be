import Foundation
import Reactive

extension OperatorPage {
  static let transforming = [
    map, compactMap, scan, scanInto, reduce, toArray, enumerated, buffer, window, groupBy,
    materialize, dematerialize, decode, withUnretained,
  ]

  private static let map = OperatorPage(
    "map", ["map(_:)"],
    "Emits the result of a closure for each element.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: .nothing,
    related: ["compactMap", "flatMap", "scan"],
    diagram: Diagram("map { $0 * 10 }", [.hot("-1--2-3-|-")]) { stage in
      stage.record(stage.numbers(0).map { $0 * 10 })
    }
  ) { _, bag in
    Observable.of(1, 2, 3)
      .map { "number \($0)" }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let compactMap = OperatorPage(
    "compactMap", ["compactMap(_:)"],
    "Emits the result of a closure for each element, except nil.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: .nothing,
    related: ["map", "filter"],
    diagram: Diagram("compactMap { Int($0) }", [.hot("-1--a-3-|-")]) { stage in
      stage.record(stage[0].compactMap { Int($0) })
    }
  ) { _, bag in
    Observable.of("7", "seven", "8")
      .compactMap { Int($0) }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let scan = OperatorPage(
    "scan", ["scan(_:accumulator:)"],
    "Emits the accumulated result after each element.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: "Holds the last result.",
    related: ["scan(into:)", "reduce", "map"],
    diagram: Diagram("scan(0, +)", [.hot("-1--2-3-|-")]) { stage in
      stage.record(stage.numbers(0).scan(0, accumulator: +))
    }
  ) { _, bag in
    Observable.of("down", "down", "up")
      .scan(0) { line, key in key == "down" ? line + 1 : line - 1 }
      .subscribe(onNext: { print("line", $0) })
      .disposed(by: bag)
  }

  private static let scanInto = OperatorPage(
    "scan(into:)", ["scan(into:accumulator:)"],
    "Changes a value in place for each element, and emits it after each change.",
    ends: .withSource,
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: "Holds the value. A closure that sends to its own source traps.",
    related: ["scan", "reduce"],
    diagram: Diagram("scan(into: \"\") { $0 += $1 }", [.hot("-a--b-c-|-")]) { stage in
      stage.record(stage[0].scan(into: "") { $0 += $1 })
    }
  ) { _, bag in
    Observable.of("tea", "milk", "tea")
      .scan(into: [:]) { counts, item in counts[item, default: 0] += 1 }
      .subscribe(onNext: { (counts: [String: Int]) in print("tea:", counts["tea"] ?? 0) })
      .disposed(by: bag)
  }

  private static let reduce = OperatorPage(
    "reduce", ["reduce(_:accumulator:)", "reduce(_:accumulator:mapResult:)"],
    "Emits the accumulated result of all elements when the source completes.",
    ends: "When the source completes, right after the result.",
    fails: .sourceOrClosureFails,
    threads: .onSource,
    memory: "Holds the last result.",
    related: ["scan", "toArray"],
    diagram: Diagram("reduce(0, +)", [.hot("-1--2-3-|-")]) { stage in
      stage.record(stage.numbers(0).reduce(0, accumulator: +))
    }
  ) { _, bag in
    Observable.of(3, 9, 4)
      .reduce(0, accumulator: max)
      .subscribe(onNext: { print("the largest:", $0) })
      .disposed(by: bag)
  }

  private static let toArray = OperatorPage(
    "toArray", ["toArray()"],
    "Emits all elements as one array when the source completes, as a `Single`.",
    ends: "When the source completes, right after the array.",
    fails: "When the source fails; the elements are dropped.",
    threads: .onSource,
    memory: "Holds all elements until the end, without a bound.",
    related: ["reduce", "buffer"],
    words: ["collect"],
    diagram: Diagram("toArray()", [.hot("-a--b-c-|-")]) { stage in
      stage.record(stage[0].toArray().asObservable().map { $0.joined(separator: ", ") })
    }
  ) { _, bag in
    Observable.of(1, 2, 3)
      .toArray()
      .subscribe(onSuccess: { print($0) })
      .disposed(by: bag)
  }

  private static let enumerated = OperatorPage(
    "enumerated", ["enumerated()"],
    "Emits each element with its number, counted from zero.",
    ends: .withSource,
    fails: .sourceFails,
    threads: .onSource,
    memory: .count,
    related: ["map", "element(at:)"],
    diagram: Diagram("enumerated()", [.hot("-a--b-c-|-")]) { stage in
      stage.record(stage[0].enumerated().map { "\($0)\($1)" })
    }
  ) { _, bag in
    Observable.of("gold", "silver")
      .enumerated()
      .map { index, medal in "\(index + 1): \(medal)" }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let buffer = OperatorPage(
    "buffer", ["buffer(timeSpan:count:scheduler:)"],
    """
    Emits elements in arrays: when an array is full, or when a time has passed since the \
    previous one.
    """,
    ends: "When the source completes, after the collected elements. An array may be empty.",
    fails: "When the source fails; the collected elements are dropped.",
    threads: "Delivers a full array on the thread of the source, and others on the scheduler.",
    memory: "Holds at most `count` elements, and a timer.",
    related: ["window", "toArray", "throttle"],
    diagram: Diagram("buffer(timeSpan: 4 s, count: 2)", [.hot("-ab---c--|")]) { stage in
      let arrays = stage[0].buffer(timeSpan: .seconds(4), count: 2, scheduler: stage.scheduler)
      stage.record(arrays.map { "[\($0.joined())]" })
    }
  ) { scheduler, bag in
    Observable<Int>.interval(.seconds(10), scheduler: scheduler)
      .buffer(timeSpan: .seconds(25), count: 10, scheduler: scheduler)
      .subscribe(onNext: { print("upload", $0) })
      .disposed(by: bag)
  }

  private static let window = OperatorPage(
    "window", ["window(timeSpan:count:scheduler:)"],
    """
    Emits elements in observables that follow each other: each ends when it is full, or after a \
    time.
    """,
    ends: "When the source completes, after the open window.",
    fails: "When the source fails, after the open window.",
    threads:
      "Delivers elements on the thread of the source, and a window that begins by time on the scheduler.",
    memory:
      """
      Holds one subject without elements, and a timer. The source is disposed of when neither the result nor \
      a window has an observer.
      """,
    related: ["buffer", "groupBy"],
    diagram: Diagram(
      "window(timeSpan: 4 s, count: 2)", [.hot("-ab---c--|")],
      outputs: ["result", "window 1", "window 2", "window 3", "window 4"]
    ) { stage in
      let windows = stage[0].window(timeSpan: .seconds(4), count: 2, scheduler: stage.scheduler)
      let numbered = windows.enumerated().map { number, window in
        if number < 4 { stage.record(window, in: number + 1) }
        return number + 1
      }
      stage.record(numbered)
    }
  ) { scheduler, bag in
    Observable.of(1, 2, 3, 4, 5)
      .window(timeSpan: .seconds(60), count: 2, scheduler: scheduler)
      .flatMap { $0.reduce(0, accumulator: +) }
      .subscribe(onNext: { print("sum of a window:", $0) })
      .disposed(by: bag)
  }

  private static let groupBy = OperatorPage(
    "groupBy", ["groupBy(keySelector:)"],
    "Emits an observable for each new key, and sends each element to the observable of its key.",
    ends: "When the source completes, after all groups.",
    fails: "When the source fails or the closure throws, after all groups.",
    threads: .onSource,
    memory:
      """
      Holds a subject for each key until the source ends, without a bound. The source is disposed of when \
      neither the result nor a group has an observer.
      """,
    related: ["window", "filter", "scan(into:)"],
    diagram: Diagram(
      "groupBy { odd or even }", [.hot("-1-2-3-4-|")], outputs: ["result", "odd", "even"]
    ) { stage in
      let groups = stage.numbers(0).groupBy { $0 % 2 == 0 ? "even" : "odd" }
      let names = groups.map { group in
        stage.record(group.asObservable(), in: group.key == "odd" ? 1 : 2)
        return group.key
      }
      stage.record(names)
    }
  ) { _, bag in
    Observable.of("apple", "bee", "ant")
      .groupBy { $0.prefix(1) }
      .flatMap { group in group.enumerated().map { "\(group.key)\($0 + 1): \($1)" } }
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let materialize = OperatorPage(
    "materialize", ["materialize()"],
    "Emits each event as an element, the end included.",
    ends: "After the source's completion or error, which is an element.",
    fails: "It cannot fail: an error is an element.",
    threads: .onSource,
    memory: .nothing,
    related: ["dematerialize", "catch", "do"],
    diagram: Diagram("materialize()", [.hot("-a--b--x-")]) { stage in
      stage.record(
        stage[0].materialize().map { event in
          switch event {
          case .next(let element): "next \(element)"
          case .error: "error"
          case .completed: "completed"
          }
        })
    }
  ) { _, bag in
    Observable.of(1, 2)
      .materialize()
      .subscribe(onNext: { print($0) })
      .disposed(by: bag)
  }

  private static let dematerialize = OperatorPage(
    "dematerialize", ["dematerialize()"],
    "Emits the events that the elements of the source represent.",
    ends: "At an element that is a completion, or with the source.",
    fails: "At an element that is an error, or with the source.",
    threads: .onSource,
    memory: .nothing,
    related: ["materialize"],
    diagram: Diagram("dematerialize()", [.hot("-a--b--E-")]) { stage in
      stage.record(
        stage[0].map { $0 == "E" ? Event<String>.error(RxError.unknown) : .next($0) }
          .dematerialize())
    }
  ) { _, bag in
    Observable.of(1, 2, 3)
      .materialize()
      .filter { $0.element != 2 }
      .dematerialize()
      .subscribe(onNext: { print($0) }, onCompleted: { print("completed") })
      .disposed(by: bag)
  }

  private static let decode = OperatorPage(
    "decode", ["decode(type:decoder:)"],
    "Emits the values that a decoder, such as `JSONDecoder`, reads from the source's data.",
    ends: .withSource,
    fails: "When the source fails, or with the decoder's error; that disposes of the source.",
    threads: .onSource,
    memory: .nothing,
    related: ["map", "materialize"],
    diagram: Diagram("decode(type: [Int].self)", [.hot("-1--2--?--|")]) { stage in
      let data = stage[0].map { Data("[\($0)]".utf8) }
      stage.record(
        data.decode(type: [Int].self, decoder: JSONDecoder()).map { "\($0)" })
    }
  ) { _, bag in
    struct Price: Decodable { let cents: Int }
    Observable.just(Data(#"{"cents": 250}"#.utf8))
      .decode(type: Price.self, decoder: JSONDecoder())
      .subscribe(onNext: { print($0.cents) })
      .disposed(by: bag)
  }

  private static let withUnretained = OperatorPage(
    "withUnretained", ["withUnretained(_:)", "withUnretained(_:resultSelector:)"],
    "Emits each element with an object that is held weakly.",
    ends: "With the source, or at the first element after the release of the object.",
    fails: .sourceFails,
    threads: .onSource,
    memory: "Holds the object weakly.",
    related: ["bind", "subscribe", "map"],
    words: ["weak self"],
    diagram: Diagram(
      "withUnretained(owner)", [.hot("-a-b-c-d-"), .hot("-----|---", "life of the owner")]
    ) { stage in
      final class Owner: Sendable {}
      let owner = BehaviorRelay<Owner?>(value: Owner())
      stage.during(nil) { stage[1].subscribe(onCompleted: { owner.accept(nil) }) }
      if let object = owner.value { stage.record(stage[0].withUnretained(object) { $0.1 }) }
    }
  ) { _, bag in
    final class Screen: Sendable {
      let name = "Cart"
    }
    let screen = Screen()
    Observable.of(1, 2)
      .withUnretained(screen)
      .subscribe(onNext: { screen, count in print(screen.name, count) })
      .disposed(by: bag)
  }
}
