/// A value that decides without I/O, lock or clock: inputs change it and add outputs.
@usableFromInline package protocol StateMachine {
  /// Work for the driver.
  associatedtype Output

  /// Whether `popOutput` returns an output.
  var hasOutputs: Bool { get }

  /// Removes and returns the next output to perform.
  mutating func popOutput() -> Output?
}

/// A state machine, and whether a thread performs its outputs.
@usableFromInline package struct DrivenStateMachine<Machine: StateMachine> {
  @usableFromInline package var machine: Machine
  @usableFromInline var isPerforming = false

  package init(_ machine: Machine) { self.machine = machine }
}

/// Passes inputs to a state machine and performs its outputs.
///
/// The outputs are performed one after the other, in order and outside of the lock, by the thread
/// that caused the first one. That thread also performs the outputs that other threads, or the
/// outputs themselves, cause meanwhile.
@usableFromInline package protocol StateMachineDriver: AnyObject, Sendable {
  associatedtype Machine: StateMachine

  var content: Locked<DrivenStateMachine<Machine>> { get }

  /// Performs one output, without the lock.
  func perform(_ output: Machine.Output)

  /// Calls `performOutputs`: at once by default, or on another thread.
  func startPerforming()
}

extension StateMachineDriver {
  /// Calls `performOutputs` on this thread.
  @inlinable package func startPerforming() { performOutputs() }

  /// Returns a part of the machine's state.
  @inlinable package func read<Result>(_ body: (Machine) -> Result) -> Result {
    content.withLock { body($0.machine) }
  }

  /// Changes the machine, on any thread.
  ///
  /// The outputs are performed before this returns, unless another thread performs outputs now, or
  /// the driver performs all outputs on another thread.
  @discardableResult
  @inlinable package func update<Result, Failure: Error>(
    _ body: (inout Machine) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (result, isFirst) = try content.withLock { content throws(Failure) in
      let result = try body(&content.machine)
      guard content.machine.hasOutputs, !content.isPerforming else { return (result, false) }
      content.isPerforming = true
      return (result, true)
    }
    if isFirst { startPerforming() }
    return result
  }

  /// Performs all outputs, including those that are added meanwhile.
  @inlinable package func performOutputs() {
    while let output = popOutput() { perform(output) }
  }

  @inlinable func popOutput() -> Machine.Output? {
    content.withLock { content in
      let output = content.machine.popOutput()
      content.isPerforming = output != nil
      return output
    }
  }
}
