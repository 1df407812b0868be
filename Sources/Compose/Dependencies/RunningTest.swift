import Dispatch

/// The test that reads a dependency: makes values that fail it.
public final class RunningTest: Sendable {
  private let values: Locked<Values>
  private let report: @Sendable (String) -> Void
  private let isOneTest: Bool

  /// A test whose failures are passed to `report`.
  ///
  /// - Parameters:
  ///   - other: test with which this one shares the values of dependencies; none by default.
  ///   - report: called on the thread that fails.
  package init(sharing other: RunningTest? = nil, _ report: @escaping @Sendable (String) -> Void) {
    values = other?.values ?? Locked(Values())
    self.report = report
    isOneTest = true
  }

  private init(allBy reporter: any TestFailureReporter.Type) {
    values = Locked(Values())
    report = { reporter.report($0) }
    isOneTest = false
  }

  /// Stands for all tests of a process with `ReactiveTesting`, where no composer is running; nil in
  /// another process.
  static let ofProcess: RunningTest? = {
    // Looked up and not linked: a program must not depend on the libraries of tests.
    let type = _typeByName("15ReactiveTesting15FailureReporterO")
    return (type as? any TestFailureReporter.Type).map { RunningTest(allBy: $0) }
  }()

  /// Fails the test.
  public func fail(_ message: String) { report(message) }

  /// Creates a closure that fails the test when it is called.
  ///
  /// - Parameter name: name of the dependency in the failure.
  /// - Returns: a closure with any parameters, `async` or not, that throws ``UnimplementedError``.
  public func unimplemented<each Parameter, Result>(_ name: String)
    -> @Sendable (repeat each Parameter) throws -> Result
  { { (_: repeat each Parameter) in throw self.fail(calling: name) } }

  /// Creates a closure that cannot throw, and fails the test when it is called.
  ///
  /// - Parameters:
  ///   - name: name of the dependency in the failure.
  ///   - placeholder: value that the closure returns.
  /// - Returns: a closure with any parameters, `async` or not.
  public func unimplemented<each Parameter, Result: Sendable>(
    _ name: String, placeholder: Result
  ) -> @Sendable (repeat each Parameter) -> Result {
    { (_: repeat each Parameter) in
      _ = self.fail(calling: name)
      return placeholder
    }
  }

  private func fail(calling name: String) -> UnimplementedError {
    let error = UnimplementedError(name: name)
    fail("\(error)")
    return error
  }

  /// The value of a dependency that was not injected.
  ///
  /// One thread makes it, and others that read it meanwhile wait for that thread.
  func value<Key: DependencyKey>(of key: Key.Type) -> Key.Value {
    while true {
      switch values.withLock({ $0.find(key) }) {
      case .value(let value): return value
      case .toMake(let making): return make(key, making)
      case .isMade(let making) where making.thread == threadIdentity():
        fail("\(key).testValue(in:) reads \(key), which it makes. Read another dependency there.")
        return key.liveValue
      case .isMade(let making): making.end.wait()
      }
    }
  }

  private func make<Key: DependencyKey>(_ key: Key.Type, _ making: Making) -> Key.Value {
    let testValue = key.testValue(in: self)
    let value = testValue ?? key.liveValue
    values.withLock { values in
      values.making[ObjectIdentifier(key)] = nil
      // Of the tests of a process, each one that reads it has to fail.
      if testValue != nil || isOneTest { values.made[key] = value }
    }
    making.end.leave()
    if testValue == nil {
      fail(
        "\(key) was read, and this test does not inject it. "
          + "Inject it where the composer is created, or declare \(key).testValue(in:).")
    }
    return value
  }
}

/// The values of the dependencies of a test.
private struct Values {
  var made = DependencyTable()
  var making: [ObjectIdentifier: Making] = [:]

  /// The value of a dependency, or who makes it.
  enum Found<Value> {
    case value(Value)
    /// A thread makes the value.
    case isMade(Making)
    /// The caller makes the value.
    case toMake(Making)
  }

  mutating func find<Key: DependencyKey>(_ key: Key.Type) -> Found<Key.Value> {
    if let value = made[key] { return .value(value) }
    let id = ObjectIdentifier(key)
    if let other = making[id] { return .isMade(other) }
    let new = Making()
    making[id] = new
    return .toMake(new)
  }
}

/// A thread's call of the `testValue(in:)` of a key.
private final class Making: Sendable {
  let thread = threadIdentity()
  let end = DispatchGroup()

  init() { end.enter() }
}

/// Fails the test that runs in this process; `ReactiveTesting` has the conforming type.
package protocol TestFailureReporter: SendableMetatype {
  static func report(_ message: String)
}

/// Thrown by a dependency that a test does not expect to be called.
public struct UnimplementedError: Error, Equatable, CustomStringConvertible {
  /// The name of the dependency.
  public let name: String

  /// One sentence with the name of the dependency.
  public var description: String { "\(name) is not implemented in this test." }
}
