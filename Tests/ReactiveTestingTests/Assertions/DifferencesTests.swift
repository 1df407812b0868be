import TestSupport
import Testing

@testable import ReactiveTesting

@Suite(.workerPool) struct DifferencesTests {
  @Test func `equal lists have no differences`() {
    #expect(differences([1, 2], [1, 2], by: ==) == nil)
    #expect(differences([Int](), [], by: ==) == nil)
  }

  @Test func `list differences mark the first difference and have a line for every entry`() {
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

  @Test func `list differences show missing entries`() {
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
