import Reactive
import ReactiveTesting
import RxReference

/// An operator in `Reactive`, in the reference, and as Swift code.
///
/// All parameters are numbers, so that one generator and one shrinker handle them.
package final class Operator: Sendable {
  package enum Parameter: Sendable {
    /// A number of elements or times, or an element.
    case count(ClosedRange<Int>)
    /// Seconds of virtual time.
    case ticks(ClosedRange<Int>)
    /// An action of a closure in addition to its result.
    case action
    /// The events of a cold source, a variable count of numbers.
    case events

    static let count = count(0...3)
    static let ticks = ticks(1...4)
  }

  package let name: String
  package let inputs: Int
  package let parameters: [Parameter]
  /// Swift code: `@a`, `@b` and `@c` are the inputs, `#0` is an argument, `~0` a closure.
  package let code: String
  let reactive: Reactive
  let reference: Reference

  /// Applies the operator.
  typealias Making<Source, Scheduler> = @Sendable (Call<Source, Scheduler>) -> Source
  typealias Reactive = Making<RxObservable<Int>, TestScheduler>
  typealias Reference = Making<Stream<Int>, VirtualClock>

  init(
    _ name: String, _ inputs: Int, _ parameters: [Parameter], _ code: String,
    _ reactive: @escaping Reactive, _ reference: @escaping Reference
  ) {
    self.name = name
    self.inputs = inputs
    self.parameters = parameters
    self.code = code
    self.reactive = reactive
    self.reference = reference
  }

  convenience init(
    _ name: String, _ inputs: Int, _ code: String, _ reactive: @escaping Reactive,
    _ reference: @escaping Reference
  ) { self.init(name, inputs, [], code, reactive, reference) }

  /// Returns the operator with another implementation.
  func with(reactive: Reactive? = nil, reference: Reference? = nil) -> Operator {
    Operator(
      name, inputs, parameters, code, reactive ?? self.reactive, reference ?? self.reference)
  }
}

/// One application of an operator.
package struct Call<Source, Scheduler> {
  let inputs: [Source]
  let arguments: [Int]
  /// The number of the node in the graph.
  let node: Int
  let world: World<Source, Scheduler>

  var a: Source { inputs[0] }
  var b: Source { inputs[1] }
  var c: Source { inputs[2] }
  var time: Scheduler { world.scheduler }

  subscript(index: Int) -> Int { arguments[index] }

  /// Runs the action of the operator's closure, and returns the element.
  func callAsFunction(_ argument: Int, _ value: Int) throws -> Int {
    let action = Action(number: arguments[argument])
    return try world.environment.call(action, closure: node * 8 + argument, value)
  }

  /// Records the call of a closure that cannot throw.
  func note(_ kind: Journal.Entry.Kind, _ value: Int) {
    world.environment.note(kind, value, node * 8)
  }
}

// Closures that capture an application stay on the thread of the run.
extension Call: @unchecked Sendable {}

/// The objects of an implementation for one run.
final class World<Source, Scheduler> {
  let scheduler: Scheduler
  let environment: Environment
  let hots: [Source]
  let subjects: [Source]
  let cold: (_ events: [Int], _ node: Int) -> Source
  var shared: Source?

  init(
    _ scheduler: Scheduler, _ environment: Environment, hots: [Source], subjects: [Source],
    cold: @escaping (_ events: [Int], _ node: Int) -> Source
  ) {
    self.scheduler = scheduler
    self.environment = environment
    self.hots = hots
    self.subjects = subjects
    self.cold = cold
  }

  /// Makes the observable of a graph, beginning with the sources.
  func make(
    _ graph: Graph, numbers: inout Int, by apply: (Operator, Call<Source, Scheduler>) -> Source
  ) -> Source {
    let node = numbers
    numbers += 1
    var inputs: [Source] = []
    for input in graph.inputs { inputs.append(make(input, numbers: &numbers, by: apply)) }
    let call = Call(inputs: inputs, arguments: graph.arguments, node: node, world: self)
    return apply(graph.operation, call)
  }
}
