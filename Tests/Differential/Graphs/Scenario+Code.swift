import RxReference

extension Scenario {
  /// The Swift code of a test body that expects the reference's result; it compiles in the test target.
  package var swiftCode: String {
    let expected = runByReference()
    var writer = CodeWriter()
    var graphs: [String] = []
    if let shared, graph.names.contains("shared") {
      graphs.append("let shared = \(writer.code(shared))")
    }
    graphs.append("let graph = \(writer.code(graph))")
    for index in observers.indices {
      let plan = observers[index]
      graphs.append("let observer\(index) = scheduler.createObserver(Int.self)")
      graphs.append("scheduler.scheduleAt(\(plan.subscribesAt)) {")
      graphs.append("  subscription\(index).disposable = graph.\(writer.subscribing(index, plan))")
      graphs.append("}")
      graphs.append("scheduler.scheduleAt(\(plan.disposesAt)) { subscription\(index).dispose() }")
    }
    graphs.append("scheduler.start()")
    for (index, events) in expected.events.enumerated() {
      let list = events.map(\.code).joined(separator: ", ")
      graphs.append("#expect(observer\(index).events == [\(list)])")
    }

    let text = (graphs + writer.acts).joined(separator: "\n")
    var lines = ["let scheduler = TestScheduler(initialClock: 0)"]
    let declarations = [
      "PublishSubject<Int>()", "BehaviorSubject(value: 0)",
      "ReplaySubject<Int>.create(bufferSize: 2)",
    ]
    for (index, subject) in declarations.enumerated() where text.contains("subject\(index)") {
      lines.append("let subject\(index) = \(subject)")
    }
    for (index, drawing) in hots.enumerated() where text.contains("hot\(index)") {
      lines.append("let hot\(index) = scheduler.createHotObservable(\(Events(drawing).code))")
      let subscriptions = expected.subscriptions.filter { $0.source == -1 - index }.map {
        "Subscription(\($0.subscribed), \($0.disposed))"
      }
      graphs.append(
        "#expect(hot\(index).subscriptions == [\(subscriptions.joined(separator: ", "))])")
    }
    for index in 0..<2 where text.contains("subscription\(index)") {
      lines.append("let subscription\(index) = SerialDisposable()")
    }
    return (lines + writer.acts + graphs).joined(separator: "\n")
  }
}

/// Prints graphs as Swift code, and collects the actions of their closures.
private struct CodeWriter {
  private(set) var acts: [String] = []
  private var nodes = 0

  mutating func code(_ graph: Graph) -> String {
    let node = nodes
    nodes += 1
    if case .events? = graph.operation.parameters.first {
      return "scheduler.createColdObservable(\(Events(graph.arguments).code)).asObservable()"
    }
    var code = graph.operation.code
    if code.hasPrefix(".") { code = "Observable<Int>" + code }
    for (index, argument) in graph.arguments.enumerated() {
      code.replace("#\(index)", with: "\(argument)")
      if code.contains("~\(index)(") {
        let name = act(Action(number: argument), closure: node * 8 + index)
        code.replace("~\(index)(", with: name.map { "try \($0)(" } ?? "(")
      }
    }
    let isChain = code.hasPrefix("@a.")
    // Backwards, because the code of an input may contain a placeholder.
    var inputs: [String] = []
    for input in graph.inputs { inputs.append(self.code(input)) }
    for (mark, input) in zip(["@a", "@b", "@c"], inputs).reversed() {
      code.replace(mark, with: isChain && mark == "@a" ? input + "\n  " : input)
    }
    return code
  }

  mutating func subscribing(_ index: Int, _ plan: Scenario.Plan) -> String {
    guard let act = act(plan.action, closure: -1 - index) else {
      return "subscribe(observer\(index))"
    }
    return """
      subscribe { event in
          observer\(index).on(event)
          if let element = event.element { _ = try? \(act)(element) }
        }
      """
  }

  /// The name of the closure of an action; nil without an action.
  private mutating func act(_ action: Action, closure: Int) -> String? {
    let body =
      switch action.kind {
      case .nothing: ""
      case .fail: "throw Fault(1)"
      case .sendPublish: "subject0.onNext($0 &+ 100)"
      case .sendBehavior: "subject1.onNext($0 &+ 100)"
      case .sendReplay: "subject2.onNext($0 &+ 100)"
      case .completePublish: "subject0.onCompleted()"
      case .failPublish: "subject0.onError(Fault(3))"
      case .completeReplay: "subject2.onCompleted()"
      case .disposeFirst: "subscription0.dispose()"
      case .disposeSecond: "subscription1.dispose()"
      }
    if body.isEmpty { return nil }
    let name = closure < 0 ? "observing\(-1 - closure)" : "act\(closure)"
    let element = body.contains("$0") ? "" : " _ in"
    acts.append("let \(name) = ActingOnce(at: \(action.call)) {\(element) \(body) }")
    return name
  }
}

extension Events {
  fileprivate var code: String {
    let events = notifications.map { time, notification in
      switch notification {
      case .next(let element): ".next(\(time), \(element))"
      case .end(nil): ".completed(\(time))"
      case .end(let fault?): ".error(\(time), Fault(\(fault.code)))"
      }
    }
    let list = "[\(events.joined(separator: ", "))]"
    return elements.isEmpty ? list + " as [Recorded<Event<Int>>]" : list
  }
}

extension Journal.Entry {
  fileprivate var code: String {
    switch kind {
    case .completed: ".completed(\(time))"
    case .error: ".error(\(time), \(Fault(value).swiftCode))"
    default: ".next(\(time), \(value))"
    }
  }
}

extension Fault {
  fileprivate var swiftCode: String {
    switch self {
    case .timeout: "RxError.timeout"
    case .noElements: "RxError.noElements"
    case .moreThanOneElement: "RxError.moreThanOneElement"
    case .argumentOutOfRange: "RxError.argumentOutOfRange"
    default: "Fault(\(code))"
    }
  }
}
