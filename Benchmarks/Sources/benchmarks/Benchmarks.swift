import Foundation

/// The command.
@main
@MainActor
enum Benchmarks {
  /// Every workload, in the order of the table.
  private static let suite = Workload.reactive + Workload.compose + Workload.sockets

  static func main() throws {
    let names = Set(suite.map(\.name))
    precondition(peers.keys.allSatisfy(names.contains), "A peer without a workload.")
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.isHelp {
        print(Options.usage)
      } else if options.isList {
        for workload in suite { print("\(workload.name): \(workload.summary)") }
      } else if let single = options.single {
        try run(single)
      } else {
        exit(try measure(options).hasFailed ? 1 : 0)
      }
    } catch let error as Options.Invalid {
      fail("What is \(error.argument)?\n\(Options.usage)", code: 2)
    } catch let error as Runner.DifferentWork {
      fail("\(error.workload): the contenders did different work: \(error.checksums)", code: 1)
    }
  }

  /// Measures what `options` asks for, and prints each row as soon as it is there.
  private static func measure(_ options: Options) throws -> Report {
    let selected = suite.filter { options.includes($0.name) }
    if selected.isEmpty { throw Options.Invalid(argument: "--only") }
    var report = Report(machine: .current())
    print(report.machine.line)
    var header: String?
    let runner = options.isQuick ? Runner.quick : Runner.full
    for workload in selected {
      let found = try runner.measure(workload)
      let verdicts = workload.gates.map { $0.verdict(on: found, judgesTime: !options.isQuick) }
      report.measurements.append(found)
      report.verdicts += verdicts
      if header != Table.header(of: found) { print("", Table.header(of: found), separator: "\n") }
      header = Table.header(of: found)
      print(Table.row(found, verdicts))
      fflush(nil)
    }
    print("", report.verdicts.map(Table.line).joined(separator: "\n"), separator: "\n")
    if let path = options.json { try report.write(to: path) }
    return report
  }

  /// Runs one contender and nothing else.
  private static func run(_ single: Options.Single) throws {
    let workload = suite.first { $0.name == single.workload }
    guard let contender = workload?.contender(single.contender) else {
      throw Options.Invalid(argument: "\(single.workload)/\(single.contender)")
    }
    print(contender.prepare()(single.operations))
  }

  private static func fail(_ message: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(code)
  }
}
