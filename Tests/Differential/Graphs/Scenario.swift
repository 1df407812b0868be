import RxReference

/// A graph of operators with the events of its sources and the actions of its observers.
package struct Scenario: Sendable {
  /// The observed graph.
  package var graph: Graph
  /// The graph of the source `shared`, which is one observable for all its uses.
  package var shared: Graph?
  /// The hot sources, encoded as `Events`.
  package var hots: [[Int]]
  /// The observers of the graph.
  package var observers: [Plan]

  package init(graph: Graph, shared: Graph? = nil, hots: [[Int]], observers: [Plan]) {
    self.graph = graph
    self.shared = shared
    self.hots = hots
    self.observers = observers
  }

  /// The subscription, disposal and action of one observer.
  package struct Plan: Hashable, Sendable {
    package var subscribesAt: Int
    package var disposesAt: Int
    /// The action for a received element.
    package var action: Action

    package init(subscribesAt: Int, disposesAt: Int, action: Action) {
      self.subscribesAt = subscribesAt
      self.disposesAt = disposesAt
      self.action = action
    }
  }

  /// The time at which every run has ended.
  static let end = 40
}

/// One operator with its inputs.
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

/// The events of a cold or hot source, encoded as numbers that can be shrunk separately: the kind of
/// end, the time to each element 1, 2, 3 and so on, and the time to the end.
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

/// An action that a closure runs once in addition to its result.
package struct Action: Hashable, Sendable {
  package enum Kind: Int, CaseIterable, Sendable {
    case nothing, fail, sendPublish, sendBehavior, sendReplay, completePublish, failPublish,
      completeReplay, disposeFirst, disposeSecond
  }

  /// The kind and the call of the closure as one number, which can be shrunk.
  package var number: Int

  package init(number: Int) { self.number = number }

  package init(_ kind: Kind, at call: Int) { number = kind.rawValue * 3 + call }

  static let count = Kind.allCases.count * 3

  var kind: Kind { Kind(rawValue: number / 3) ?? .nothing }
  var call: Int { number % 3 }
}
