/// An error that tests send and expect.
struct TestError: Error, Equatable {
  static let any = TestError()
  static let other = TestError(name: "other")
  var name = "any"
}
