import Compose

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
///   `UnimplementedError`.
public func unimplemented<each Parameter, Result>(
  _ name: String, file: StaticString = #filePath, line: UInt = #line
) -> @Sendable (repeat each Parameter) throws -> Result {
  RunningTest { reportFailure($0, file: file, line: line) }.unimplemented(name)
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
  RunningTest { reportFailure($0, file: file, line: line) }
    .unimplemented(name, placeholder: placeholder)
}
