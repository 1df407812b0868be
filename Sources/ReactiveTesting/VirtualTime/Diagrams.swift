import Reactive

/// Draws what `transform` makes of the observable that `diagram` draws, in virtual time.
///
/// One character is one second: `a` an element, `-` nothing, `|` the completion, `x` or `#` an error;
/// what stands in `[...]` or `(...)` happens in the same second. The result is drawn the same way,
/// with `[...]`, at least as long as `diagram` unless it ends before.
///
/// ```swift
/// #expect(play("ab--c-|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b--[c|]")
/// ```
///
/// - Parameters:
///   - seconds: when the subscription is disposed of; for what never ends.
///   - transform: receives the drawn observable and the scheduler whose time it is drawn in.
public func play<Result: ObservableConvertibleType>(
  _ diagram: String,
  for seconds: Int = 1_000,
  _ transform: (Observable<Character>, TestScheduler) throws -> Result
) rethrows -> String {
  try play(diagram, "", for: seconds) { first, _, scheduler in try transform(first, scheduler) }
}

/// Draws what `transform` makes of the observables that two diagrams draw, in virtual time.
///
/// ```swift
/// #expect(play("a--b|", "-1-2-|") { a, b, _ in Observable<Character>.merge(a, b) } == "a1-[b2]-|")
/// ```
public func play<Result: ObservableConvertibleType>(
  _ first: String,
  _ second: String,
  for seconds: Int = 1_000,
  _ transform: (Observable<Character>, Observable<Character>, TestScheduler) throws -> Result
) rethrows -> String {
  let scheduler = TestScheduler(initialClock: 0, simulateProcessingDelay: false)
  let observer = scheduler.createObserver(Result.Element.self)
  let sources = [first, second].map { Diagram($0) }
  let hot = sources.map { scheduler.createHotObservable($0.events).asObservable() }
  let result = try transform(hot[0], hot[1], scheduler)
  let subscription = result.asObservable().subscribe(observer)
  scheduler.scheduleAt(seconds) { subscription.dispose() }
  scheduler.start()
  return Diagram.draw(observer.events, length: sources.map(\.length).max() ?? 0)
}

/// What a `#` or an `x` in a diagram fails with.
public struct DiagramError: Error, Equatable {
  /// The error.
  public init() {}
}

/// A diagram, read.
private struct Diagram {
  private(set) var events: [Recorded<Event<Character>>] = []
  private(set) var length = 0

  init(_ drawing: String) {
    var isGrouped = false
    for character in drawing {
      switch character {
      case "[", "(": isGrouped = true
      case "]", ")": isGrouped = false
      case "-": break
      case "|": events.append(.completed(length))
      case "x", "#": events.append(.error(length, DiagramError()))
      default: events.append(.next(length, character))
      }
      if !isGrouped { length += 1 }
    }
  }

  static func draw<Element>(_ events: [Recorded<Event<Element>>], length: Int) -> String {
    var drawing = ""
    var second = 0
    var rest = events[...]
    while let time = rest.first?.time {
      while second < time {
        drawing += "-"
        second += 1
      }
      let group = rest.prefix { $0.time <= time }
      rest = rest.dropFirst(group.count)
      let text = group.map { symbol(for: $0.value) }.joined()
      drawing += group.count == 1 && text.count == 1 ? text : "[\(text)]"
      second += 1
    }
    guard events.last?.value.isStopEvent != true else { return drawing }
    return drawing + String(repeating: "-", count: max(0, length - second))
  }

  private static func symbol<Element>(for event: Event<Element>) -> String {
    switch event {
    case .next(let element): "\(element)"
    case .error: "x"
    case .completed: "|"
    }
  }
}
