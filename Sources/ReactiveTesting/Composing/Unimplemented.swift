/// A dependency that was called though its test did not expect that.
public struct Unimplemented: Error, Equatable, CustomStringConvertible {
  /// Which one.
  public let name: String

  /// Says which one was called.
  public var description: String { "\(name) is not implemented in this test." }
}

/// A dependency that fails the test when it is called.
///
/// ```swift
/// extension Api {
///   static let unimplemented = Api(
///     load: ReactiveTesting.unimplemented("Api.load"),
///     isReachable: ReactiveTesting.unimplemented("Api.isReachable", placeholder: true))
/// }
/// ```
///
/// - Returns: a closure, of any parameters, `async` or not, that fails the test and throws
///   ``Unimplemented``.
public func unimplemented<each Parameter, Result>(
  _ name: String, file: StaticString = #filePath, line: UInt = #line
) -> @Sendable (repeat each Parameter) throws -> Result {
  { (_: repeat each Parameter) in throw fail(name, file, line) }
}

/// A dependency that cannot throw and fails the test when it is called.
///
/// - Parameter placeholder: what it returns.
/// - Returns: a closure, of any parameters, `async` or not, that fails the test.
public func unimplemented<each Parameter, Result: Sendable>(
  _ name: String, placeholder: Result, file: StaticString = #filePath, line: UInt = #line
) -> @Sendable (repeat each Parameter) -> Result {
  { (_: repeat each Parameter) in
    _ = fail(name, file, line)
    return placeholder
  }
}

private func fail(_ name: String, _ file: StaticString, _ line: UInt) -> Unimplemented {
  let problem = Unimplemented(name: name)
  reportFailure("\(problem)", file: file, line: line)
  return problem
}
