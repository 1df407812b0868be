import TestSupport
import Testing

@testable import dashboard

@Suite("The command line", .workerPool)
struct ArgumentsTests {
  @Test func `without arguments the dashboard draws a page of the embedded server`() throws {
    let arguments = try Arguments([])
    #expect(!arguments.isPlain)
    #expect(arguments.url == nil)
    #expect(arguments.seconds == nil)
    #expect(!arguments.wantsHelp)
  }

  @Test func `the dashboard accepts its flags in any order`() throws {
    let arguments = try Arguments(["--seconds", "2.5", "--url", "ws://localhost:1/", "--plain"])
    #expect(arguments.isPlain)
    #expect(arguments.url == "ws://localhost:1/")
    #expect(arguments.seconds == 2.5)
  }

  @Test(arguments: ["--help", "-h"])
  func `--help and -h are the dashboard's flags for help`(flag: String) throws {
    #expect(try Arguments([flag]).wantsHelp)
  }

  @Test func `an unknown argument of the dashboard is an error that names it`() {
    #expect(throws: ArgumentError.unknown("--plane")) { try Arguments(["--plane"]) }
    #expect(
      "\(ArgumentError.unknown("--plane"))"
        == "unknown argument --plane; see --help"
    )
  }

  @Test(arguments: ["--url", "--seconds"])
  func `a dashboard flag without its value is an error`(flag: String) {
    #expect(throws: ArgumentError.missingValue(flag)) { try Arguments(["--plain", flag]) }
  }

  @Test(arguments: ["0", "-1", "soon", "nan", "inf", "1e9", ""])
  func `--seconds accepts only a positive number up to a year`(word: String) {
    #expect(throws: ArgumentError.notSeconds(word)) { try Arguments(["--seconds", word]) }
  }
}
