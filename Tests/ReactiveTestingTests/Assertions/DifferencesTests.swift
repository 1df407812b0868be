import TestSupport
import Testing

@testable import ReactiveTesting

@Suite(.workerPool) struct DifferencesTests {
  @Test func `equal lists do not differ`() {
    #expect(differences([1, 2], [1, 2], by: ==) == nil)
    #expect(differences([Int](), [], by: ==) == nil)
  }

  @Test func `the first difference is marked and every entry has its line`() {
    #expect(
      differences([1, 2, 3, 4], [1, 5, 3], by: ==) == """
        4 entries, expected 3; the first difference is at index 1:
            1
          > got       2
            expected  5
            3
            got       4
            expected  nothing
        """
    )
  }

  @Test func `what is missing is named`() {
    #expect(
      differences([1], [1, 2], by: ==) == """
        1 entry, expected 2; the first difference is at index 1:
            1
          > got       nothing
            expected  2
        """
    )
  }
}
