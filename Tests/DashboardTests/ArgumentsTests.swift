import TestSupport
import Testing

@testable import dashboard

@Suite("The command line", .workerPool)
struct ArgumentsTests {
  @Test func `asks for a page of the embedded server when it is empty`() throws {
    let arguments = try Arguments([])
    #expect(!arguments.isPlain)
    #expect(arguments.url == nil)
    #expect(arguments.seconds == nil)
    #expect(!arguments.wantsHelp)
  }

  @Test func `takes all flags in any order`() throws {
    let arguments = try Arguments(["--seconds", "2.5", "--url", "ws://localhost:1/", "--plain"])
    #expect(arguments.isPlain)
    #expect(arguments.url == "ws://localhost:1/")
    #expect(arguments.seconds == 2.5)
  }

  @Test(arguments: ["--help", "-h"])
  func `asks for help`(flag: String) throws {
    #expect(try Arguments([flag]).wantsHelp)
  }

  @Test func `names the argument that it does not know`() {
    #expect(throws: ArgumentError.unknown("--plane")) { try Arguments(["--plane"]) }
    #expect(
      "\(ArgumentError.unknown("--plane"))"
        == "unknown argument --plane; --help shows what there is"
    )
  }

  @Test(arguments: ["--url", "--seconds"])
  func `misses the value of a flag`(flag: String) {
    #expect(throws: ArgumentError.missingValue(flag)) { try Arguments(["--plain", flag]) }
  }

  @Test(arguments: ["0", "-1", "soon", "nan", "inf", "1e9", ""])
  func `takes only seconds that a clock can wait`(word: String) {
    #expect(throws: ArgumentError.notSeconds(word)) { try Arguments(["--seconds", word]) }
  }
}
