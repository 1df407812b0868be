/// Stops the process unless `holds`; unlike `precondition` it prints the reason in a release build too.
func require(
  _ holds: Bool,
  _ problem: @autoclosure () -> String,
  file: StaticString = #fileID,
  line: UInt = #line
) {
  if !holds { fatalError(problem(), file: file, line: line) }
}
