/// Thrown by a dependency that a test does not expect to be called.
public struct UnimplementedError: Error, Equatable, CustomStringConvertible {
  /// The name of the dependency.
  public let name: String

  /// One sentence with the name of the dependency.
  public var description: String { "\(name) is not implemented in this test." }
}

/// Creates a dependency that fails the test when it is called.
///
/// ```swift
/// extension Api {
///   static let unimplemented = Api(
///     load: ReactiveTesting.unimplemented("Api.load"),
///     isReachable: ReactiveTesting.unimplemented("Api.isReachable", placeholder: true))
/// }
/// ```
///
/// - Parameters:
///   - name: name of the dependency in the failure.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
/// - Returns: a closure with any parameters, `async` or not, that fails the test and throws
///   ``UnimplementedError``.
public func unimplemented<each Parameter, Result>(
  _ name: String, file: StaticString = #filePath, line: UInt = #line
) -> @Sendable (repeat each Parameter) throws -> Result {
  { (_: repeat each Parameter) in throw fail(name, file, line) }
}

/// Creates a dependency that cannot throw, and fails the test when it is called.
///
/// - Parameters:
///   - name: name of the dependency in the failure.
///   - placeholder: value that the closure returns.
///   - file: file that a failure is reported in; that of the call by default.
///   - line: line that a failure is reported at; that of the call by default.
/// - Returns: a closure with any parameters, `async` or not, that fails the test.
public func unimplemented<each Parameter, Result: Sendable>(
  _ name: String, placeholder: Result, file: StaticString = #filePath, line: UInt = #line
) -> @Sendable (repeat each Parameter) -> Result {
  { (_: repeat each Parameter) in
    _ = fail(name, file, line)
    return placeholder
  }
}

private func fail(_ name: String, _ file: StaticString, _ line: UInt) -> UnimplementedError {
  let error = UnimplementedError(name: name)
  reportFailure("\(error)", file: file, line: line)
  return error
}
