extension Scenario {
  /// Returns the smallest scenario that shrinking reaches while `isFailing` returns true.
  package func shrunk(while isFailing: (Scenario) -> Bool) -> Scenario {
    var smallest = self
    while let smaller = smallest.smaller.first(where: isFailing) { smallest = smaller }
    return smallest
  }

  /// Slightly smaller scenarios, beginning with the smallest.
  private var smaller: [Scenario] {
    var smaller: [Scenario] = []
    func vary(_ change: (inout Scenario) -> Void) {
      var varied = self
      change(&varied)
      smaller.append(varied)
    }
    if observers.count > 1 {
      for index in observers.indices { vary { $0.observers.remove(at: index) } }
    }
    for graph in graph.smaller { vary { $0.graph = graph } }
    if let shared {
      if !graph.names.contains("shared") { vary { $0.shared = nil } }
      for graph in shared.smaller { vary { $0.shared = graph } }
    }
    for hot in hots.indices {
      for drawing in smallerEvents(hots[hot]) { vary { $0.hots[hot] = drawing } }
    }
    for index in observers.indices {
      let plan = observers[index]
      if plan.disposesAt != Scenario.end { vary { $0.observers[index].disposesAt = Scenario.end } }
      for time in smallerNumbers(plan.subscribesAt) {
        vary { $0.observers[index].subscribesAt = time }
      }
      for number in smallerNumbers(plan.action.number) {
        vary { $0.observers[index].action.number = number }
      }
    }
    return smaller
  }
}

extension Graph {
  /// Graphs with fewer nodes, then those with smaller numbers.
  fileprivate var smaller: [Graph] {
    var smaller = inputs
    if !inputs.isEmpty {
      for source in Operator.sources.prefix(3) {
        smaller.append(Graph(source, source.smallestArguments))
      }
    }
    for index in inputs.indices {
      for input in inputs[index].smaller {
        var graph = self
        graph.inputs[index] = input
        smaller.append(graph)
      }
    }
    for arguments in smallerArguments {
      var graph = self
      graph.arguments = arguments
      smaller.append(graph)
    }
    return smaller
  }

  private var smallerArguments: [[Int]] {
    if case .events? = operation.parameters.first { return smallerEvents(arguments) }
    return zip(arguments.indices, operation.smallestArguments).flatMap { index, least in
      smallerNumbers(arguments[index] - least).map { number in
        var smaller = arguments
        smaller[index] = number + least
        return smaller
      }
    }
  }
}

extension Operator {
  fileprivate var smallestArguments: [Int] {
    parameters.map {
      switch $0 {
      case .count(let range), .ticks(let range): range.lowerBound
      case .action, .events: 0
      }
    }
  }
}

private func smallerNumbers(_ number: Int) -> [Int] {
  number == 0 ? [] : Set([0, number / 2, number - 1]).sorted()
}

private func smallerEvents(_ drawing: [Int]) -> [[Int]] {
  drawing.indices.dropFirst().map { index in
    var fewer = drawing
    fewer.remove(at: index)
    return fewer
  }
    + drawing.indices.flatMap { index in
      smallerNumbers(drawing[index]).map { number in
        var sooner = drawing
        sooner[index] = number
        return sooner
      }
    }
}
