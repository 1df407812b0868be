import Reactive

/// Plays the observable that `diagram` draws in virtual time, and returns the diagram of the
/// observable that `transform` returns.
///
/// ```swift
/// #expect(play("ab--c-|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b--[c|]")
/// ```
///
/// One character is one second:
///
/// - `-`: no event
/// - `|`: the completion
/// - `#` or `x`: an error, ``DiagramError``
/// - `[ab]` or `(ab)`: events of the same second. A group without an end, or inside another group,
///   fails the test with its position
/// - `^`: the subscription, at second 0; events before it are not received
/// - any other character: an element
///
/// The drawn observable is hot: it emits with or without a subscription. Without a `^` it is
/// subscribed before its first second.
///
/// The returned diagram begins with the subscription. Any error is drawn as `x`. Events of the same
/// second, and an element whose description has more than one character, are in `[...]`. A diagram
/// without an end is filled with dashes up to the length of `diagram`. Map the characters to use
/// other elements:
///
/// ```swift
/// let prices: [Character: Int] = ["a": 5, "b": 12]
/// #expect(play("a-b|") { source, _ in source.compactMap { prices[$0] } } == "5-[12]|")
/// ```
///
/// - Parameters:
///   - diagram: events of the source.
///   - seconds: time of the disposal, for observables that do not end; 1,000 by default.
///   - transform: receives the drawn observable and its scheduler; called before the first second.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
public func play<Result: ObservableConvertibleType>(
  _ diagram: String,
  for seconds: Int = 1_000,
  file: StaticString = #filePath,
  line: UInt = #line,
  _ transform: (Observable<Character>, TestScheduler) throws -> Result
) rethrows -> String {
  try play([diagram], for: seconds, file: file, line: line) { try transform($0[0], $1) }
}

/// Plays the observables that two diagrams draw in virtual time, and returns the diagram of the
/// observable that `transform` returns.
///
/// ```swift
/// #expect(play("a--b|", "-1-2-|") { a, b, _ in Observable<Character>.merge(a, b) } == "a1-[b2]-|")
/// ```
///
/// Events of the same second are emitted in the order of the diagrams. The `^` of both are the same
/// second.
public func play<Result: ObservableConvertibleType>(
  _ first: String,
  _ second: String,
  for seconds: Int = 1_000,
  file: StaticString = #filePath,
  line: UInt = #line,
  _ transform: (Observable<Character>, Observable<Character>, TestScheduler) throws -> Result
) rethrows -> String {
  try play([first, second], for: seconds, file: file, line: line) {
    try transform($0[0], $0[1], $1)
  }
}

/// Plays the observables that any number of diagrams draw in virtual time, and returns the diagram
/// of the observable that `transform` returns.
///
/// ```swift
/// #expect(play(["a", "-b", "--c|"]) { sources, _ in Observable.merge(sources) } == "abc-")
/// ```
public func play<Result: ObservableConvertibleType>(
  _ diagrams: [String],
  for seconds: Int = 1_000,
  file: StaticString = #filePath,
  line: UInt = #line,
  _ transform: ([Observable<Character>], TestScheduler) throws -> Result
) rethrows -> String {
  let drawn = diagrams.map { Diagram($0) }
  for fault in drawn.compactMap(\.fault) { reportFailure(fault, file: file, line: line) }
  let start = drawn.map(\.start).min() ?? 0
  let scheduler = TestScheduler(initialClock: start, simulateProcessingDelay: false)
  let observer = scheduler.createObserver(Result.Element.self)
  let sources = drawn.map { scheduler.createHotObservable($0.events).asObservable() }
  let result = try transform(sources, scheduler)
  if start < 0 {
    // Runs the seconds before 0, and stops before the events of second 0.
    scheduler.advanceTo(-1)
    scheduler.sleep(1)
  }
  let subscription = result.asObservable().subscribe(observer)
  scheduler.scheduleAt(seconds) { subscription.dispose() }
  scheduler.start()
  return Diagram.draw(observer.events, length: drawn.map(\.end).max() ?? 0)
}

/// The error of a `#` or an `x` in a diagram.
public struct DiagramError: Error, Equatable {
  /// Creates the error, for comparison with a received one.
  public init() {}
}

/// The events of a parsed diagram.
private struct Diagram {
  private(set) var events: [Recorded<Event<Character>>] = []
  /// The first second; negative when events are drawn before the `^`.
  private(set) var start = 0
  /// The second after the last one.
  private(set) var end = 0
  /// The description of a syntax error; nil for a valid diagram.
  private(set) var fault: String?

  init(_ drawing: String) {
    var group: (begin: Int, close: Character)?
    func reportFault(at position: Int, _ reason: String) {
      fault = fault ?? "The diagram \"\(drawing)\" at character \(position + 1): \(reason)"
    }
    for (position, character) in drawing.enumerated() {
      switch character {
      case "[", "(":
        if group != nil { reportFault(at: position, "a group within a group.") }
        group = (position, character == "[" ? "]" : ")")
      case "]", ")":
        if group?.close != character { reportFault(at: position, "no group ends like this here.") }
        group = nil
      case "-": break
      case "^": start = -end
      case "|": events.append(.completed(end))
      case "x", "#": events.append(.error(end, DiagramError()))
      default: events.append(.next(end, character))
      }
      if group == nil { end += 1 }
    }
    if let group { reportFault(at: group.begin, "a group without an end.") }
    events = events.map { Recorded(time: $0.time + start, value: $0.value) }
    end += start
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
