import Testing

@testable import TestSupport

@Suite("The time limit of the worker pool", .workerPool)
struct WorkerPoolTests {
  struct Broken: Error {}

  @Test func `a test that throws ends at once`() async throws {
    let test = try #require(Test.current)
    let start = ContinuousClock.now
    await #expect(throws: Broken.self) {
      try await withTimeLimit(60, of: test) { throw Broken() }
    }
    #expect(ContinuousClock.now - start < .seconds(30))
  }
}
