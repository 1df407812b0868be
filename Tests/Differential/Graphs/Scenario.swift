import RxReference

/// A graph of operators with all that happens to it: what a run repeats exactly.
package struct Scenario: Sendable {
  /// What is observed.
  package var graph: Graph
  /// What the source `shared` of the graph is: one observable, however often it occurs.
  package var shared: Graph?
  /// The hot sources, drawn as `Events` says.
  package var hots: [[Int]]
  /// Who observes the graph.
  package var observers: [Plan]

  package init(graph: Graph, shared: Graph? = nil, hots: [[Int]], observers: [Plan]) {
    self.graph = graph
    self.shared = shared
    self.hots = hots
    self.observers = observers
  }

  /// What one observer does.
  package struct Plan: Hashable, Sendable {
    package var subscribesAt: Int
    package var disposesAt: Int
    /// What it does when it receives an element.
    package var action: Action

    package init(subscribesAt: Int, disposesAt: Int, action: Action) {
      self.subscribesAt = subscribesAt
      self.disposesAt = disposesAt
      self.action = action
    }
  }

  /// Everything is over by then.
  static let end = 40
}

/// One operator with what it is applied to.
package struct Graph: Sendable {
  package var operation: Operator
  package var arguments: [Int]
  package var inputs: [Graph]

  package init(_ operation: Operator, _ arguments: [Int] = [], _ inputs: [Graph] = []) {
    self.operation = operation
    self.arguments = arguments
    self.inputs = inputs
  }

  package var count: Int { inputs.reduce(1) { $0 + $1.count } }

  /// The names of its operators.
  package var names: Set<String> {
    inputs.reduce(into: [operation.name]) { $0.formUnion($1.names) }
  }
}

/// The events of a cold or hot source, written as numbers that can be shrunk one by one: how it ends,
/// then the time to each element, which counts 1, 2, 3, and last the time to its end.
struct Events {
  private(set) var elements: [(time: Int, element: Int)] = []
  private(set) var end: (time: Int, fault: Fault?)?

  init(_ drawing: [Int]) {
    var time = 0
    var gaps = drawing.dropFirst()
    let ends = (drawing.first ?? 0) > 0
    let last = ends ? gaps.popLast() : nil
    for (index, gap) in gaps.enumerated() {
      time += gap
      elements.append((time, index + 1))
    }
    if ends { end = (time + (last ?? 0), drawing[0] == 1 ? nil : Fault(2)) }
  }
}

/// What a closure does once, beside computing its result.
package struct Action: Hashable, Sendable {
  package enum Kind: Int, CaseIterable, Sendable {
    case nothing, fail, sendPublish, sendBehavior, sendReplay, completePublish, failPublish,
      completeReplay, disposeFirst, disposeSecond
  }

  /// Which kind, and at which call of the closure: a number, so that it shrinks like all arguments.
  package var number: Int

  package init(number: Int) { self.number = number }

  package init(_ kind: Kind, at call: Int) { number = kind.rawValue * 3 + call }

  static let count = Kind.allCases.count * 3

  var kind: Kind { Kind(rawValue: number / 3) ?? .nothing }
  var call: Int { number % 3 }
}
