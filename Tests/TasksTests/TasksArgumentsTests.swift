import TestSupport
import Testing

@testable import tasks

@Suite("The command line of the tasks", .workerPool)
struct TasksArgumentsTests {
  @Test func `without arguments the tasks are those of the file, and not inspected`() throws {
    let arguments = try Arguments([])
    #expect(!arguments.isPlain)
    #expect(!arguments.isInspected)
    #expect(!arguments.wantsHelp)
    #expect(arguments.count == nil)
  }

  @Test func `the tasks accept their flags in any order`() throws {
    let arguments = try Arguments(["--inspect", "--tasks", "5", "--plain"])
    #expect(arguments.isPlain)
    #expect(arguments.isInspected)
    #expect(arguments.count == 5)
    for flag in ["--help", "-h"] { #expect(try Arguments([flag]).wantsHelp) }
  }

  @Test func `an unknown argument of the tasks is an error that names it`() {
    #expect(throws: ArgumentError.unknown("--plane")) { try Arguments(["--plane"]) }
    #expect("\(ArgumentError.unknown("--plane"))" == "unknown argument --plane; see --help")
    #expect(throws: ArgumentError.missingValue("--tasks")) { try Arguments(["--tasks"]) }
    #expect("\(ArgumentError.missingValue("--tasks"))" == "--tasks needs a value; see --help")
  }

  @Test(arguments: ["3", "1000001", "-5", "many", ""])
  func `the script needs four tasks at least`(word: String) {
    #expect(throws: ArgumentError.notACount(word)) { try Arguments(["--tasks", word]) }
    #expect(
      "\(ArgumentError.notACount(word))"
        == "\(word) is not a number from 4 to 1000000; see --help")
  }
}
