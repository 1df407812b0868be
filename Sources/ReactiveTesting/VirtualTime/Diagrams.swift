import Reactive

/// Draws what `transform` makes of the observable that `diagram` draws, in virtual time.
///
/// ```swift
/// #expect(play("ab--c-|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b--[c|]")
/// ```
///
/// One character is one second:
///
/// - `a`, or any character that means nothing else: an element
/// - `-`: nothing
/// - `|`: the completion
/// - `#` or `x`: an error, ``DiagramError``
/// - `[ab]` or `(ab)`: what happens in the same second; one without its end, or within another, fails
///   the test and says where
/// - `^`: the subscription, which is second 0; what stands before it is missed
///
/// The drawn observable is hot: it emits whether or not anything is subscribed to it. Without a `^` it
/// is subscribed before its first second.
///
/// The result is drawn from the subscription on: `x` for any error, `[...]` around what comes in the
/// same second and around an element that is described by more than one character, and dashes up to
/// the length of the diagram when it does not end. To draw other elements, map them:
///
/// ```swift
/// let prices: [Character: Int] = ["a": 5, "b": 12]
/// #expect(play("a-b|") { source, _ in source.compactMap { prices[$0] } } == "5-[12]|")
/// ```
///
/// - Parameters:
///   - seconds: when the subscription is disposed of; for what never ends.
///   - transform: receives the drawn observable and the scheduler whose time it is drawn in; called
///     before anything happens.
public func play<Result: ObservableConvertibleType>(
  _ diagram: String,
  for seconds: Int = 1_000,
  file: StaticString = #filePath,
  line: UInt = #line,
  _ transform: (Observable<Character>, TestScheduler) throws -> Result
) rethrows -> String {
  try play([diagram], for: seconds, file: file, line: line) { try transform($0[0], $1) }
}

/// Draws what `transform` makes of the observables that two diagrams draw, in virtual time.
///
/// ```swift
/// #expect(play("a--b|", "-1-2-|") { a, b, _ in Observable<Character>.merge(a, b) } == "a1-[b2]-|")
/// ```
///
/// What comes in the same second comes in the order of the diagrams. Their `^` are the same second.
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

/// Draws what `transform` makes of the observables that any number of diagrams draw, in virtual time.
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
    // Everything before second 0, and nothing that is in it.
    scheduler.advanceTo(-1)
    scheduler.sleep(1)
  }
  let subscription = result.asObservable().subscribe(observer)
  scheduler.scheduleAt(seconds) { subscription.dispose() }
  scheduler.start()
  return Diagram.draw(observer.events, length: drawn.map(\.end).max() ?? 0)
}

/// What a `#` or an `x` in a diagram fails with.
public struct DiagramError: Error, Equatable {
  /// The error.
  public init() {}
}

/// A diagram, read.
private struct Diagram {
  private(set) var events: [Recorded<Event<Character>>] = []
  /// The first second: negative when something stands before the `^`.
  private(set) var start = 0
  /// The second after the last.
  private(set) var end = 0
  /// What is wrong with it.
  private(set) var fault: String?

  init(_ drawing: String) {
    var group: (begin: Int, close: Character)?
    func fails(at position: Int, _ why: String) {
      fault = fault ?? "The diagram \"\(drawing)\" at character \(position + 1): \(why)"
    }
    for (position, character) in drawing.enumerated() {
      switch character {
      case "[", "(":
        if group != nil { fails(at: position, "a group within a group.") }
        group = (position, character == "[" ? "]" : ")")
      case "]", ")":
        if group?.close != character { fails(at: position, "no group ends like this here.") }
        group = nil
      case "-": break
      case "^": start = -end
      case "|": events.append(.completed(end))
      case "x", "#": events.append(.error(end, DiagramError()))
      default: events.append(.next(end, character))
      }
      if group == nil { end += 1 }
    }
    if let group { fails(at: group.begin, "a group without an end.") }
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
