import Foundation

/// The command.
@main
@MainActor
enum Benchmarks {
  /// Every workload, in the order of the table.
  private static let suite = Workload.reactive + Workload.compose + Workload.sockets

  static func main() throws {
    let names = Set(suite.map(\.name))
    let others = [peers.keys.sorted(), asyncPeers.keys.sorted(), Quoted.names].joined()
    precondition(others.allSatisfy(names.contains), "A peer or a quoted figure without a workload.")
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.isHelp {
        print(Options.usage)
      } else if options.isList {
        for workload in suite { print("\(workload.name): \(workload.summary)") }
      } else if let single = options.single {
        try run(single)
      } else if options.isUpdate {
        try updateThresholds(options)
      } else if options.isInstructions {
        exit(try countInstructions(options).hasFailed ? 1 : 0)
      } else {
        exit(try measure(options).hasFailed ? 1 : 0)
      }
    } catch let error as Options.Invalid {
      fail("What is \(error.argument)?\n\(Options.usage)", code: 2)
    } catch let error as Callgrind.Failure {
      fail("valgrind (apt-get install valgrind) did not count:\n\(error.output)", code: 1)
    } catch let error as Runner.DifferentWork {
      fail("\(error.workload): the contenders did different work: \(error.checksums)", code: 1)
    }
  }

  /// Measures what `options` asks for, and prints each row as soon as it is there.
  private static func measure(_ options: Options) throws -> Report {
    let selected = try selected(options)
    var report = Report(machine: .current)
    print(report.machine.line)
    var header: String?
    let runner = options.isQuick ? Runner.quick : Runner.full
    for workload in selected {
      let found = try runner.measure(workload)
      let verdicts = workload.verdicts(
        on: found, after: report.measurements, judgesTime: !options.isQuick)
      report.measurements.append(found)
      report.verdicts += verdicts
      if header != Table.header(of: found) { print("", Table.header(of: found), separator: "\n") }
      header = Table.header(of: found)
      print(Table.row(found, verdicts))
      fflush(nil)
    }
    print("\nRxSwift's figures: \(Quoted.source).")
    print("", report.verdicts.map(Table.line).joined(separator: "\n"), separator: "\n")
    if let path = options.json { try report.write(to: path) }
    return report
  }

  private static func selected(_ options: Options) throws -> [Workload] {
    let selected = suite.filter { options.includes($0.name) }
    if selected.isEmpty { throw Options.Invalid(argument: "--only") }
    return selected
  }

  /// Compares instructions with those stored, and prints each line as soon as it is there.
  private static func countInstructions(_ options: Options) throws -> Report {
    var report = Report(machine: .current)
    print(report.machine.line, "", separator: "\n")
    for workload in try selected(options) where workload.countsInstructions {
      let found = try Callgrind.instructions(of: workload)
      let finding = Thresholds.stored.finding(.instructions, found, of: workload.name)
      let verdict = Verdict(on: workload.name, finding, isTarget: false)
      report.instructions[workload.name] = found
      report.verdicts.append(verdict)
      print(Table.line(verdict))
      fflush(nil)
    }
    if let path = options.json { try report.write(to: path) }
    return report
  }

  /// Stores what repeats exactly, and prints what changes.
  ///
  /// Figures of workloads that are not selected stay, when they were of this compiler.
  private static func updateThresholds(_ options: Options) throws {
    let (before, isPart) = (Thresholds.stored, !options.only.isEmpty)
    var thresholds = Thresholds.here
    if isPart, before.isOfHere { thresholds.figures = before.figures }
    for workload in try selected(options) {
      thresholds.figures[workload.name] = nil
      for case .stored(let kind) in workload.gates {
        let found =
          kind == .instructions
          ? try Callgrind.instructions(of: workload)
          : Runner.quick.weigh(workload).figure(kind)
        thresholds.figures[workload.name, default: [:]][kind] = (found * 100).rounded() / 100
        let was = before.figures[workload.name]?[kind]?.significant(5) ?? "-"
        print("\(workload.name) \(kind): \(was) -> \(found.significant(5))")
        fflush(nil)
      }
    }
    try thresholds.write()
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
