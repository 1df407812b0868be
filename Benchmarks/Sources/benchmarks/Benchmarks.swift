import Foundation

/// The command.
@main
@MainActor
enum Benchmarks {
  static func main() throws {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      switch options.mode {
      case .help: print(Options.usage)
      case .list: for workload in Suite.workloads { print("\(workload.name): \(workload.summary)") }
      case .single(let single): try run(single)
      case .serveEcho: EchoServer.serve()
      case .report(let files):
        let reports = try files.map(Report.read)
        try Page(reports[0], others: Array(reports.dropFirst())).write(into: options.folder)
      case .updateThresholds: try updateThresholds(options)
      case .instructions: exit(try countInstructions(options).hasFailed ? 1 : 0)
      case .measure: exit(try measure(options).hasFailed ? 1 : 0)
      }
    } catch let error as Options.Invalid {
      fail("Unknown argument: \(error.argument)\n\(Options.usage)", code: 2)
    } catch let error as Callgrind.Failure {
      fail("valgrind (apt-get install valgrind) did not count:\n\(error.output)", code: 1)
    } catch let error as Runner.DifferentWork {
      fail("\(error.workload): the contenders did different work: \(error.checksums)", code: 1)
    }
  }

  /// Measures the workloads of `options`, and prints each row as soon as it is complete.
  private static func measure(_ options: Options) throws -> Report {
    let selected = try selected(options)
    let runner = options.isQuick ? Runner.quick : Runner.full
    var report = Report(machine: .current)
    var header: String?
    print(report.machine.line)
    try forEach(selected, nominal: runner.nominalSeconds, in: &report) { workload, report in
      let found = try runner.measure(workload)
      let verdicts = workload.verdicts(
        on: found, after: report.measurements, judgesTime: !options.isQuick)
      report.measurements.append(found)
      report.verdicts += verdicts
      let above = header == Table.header(of: found) ? "" : "\n\(Table.header(of: found))\n"
      header = Table.header(of: found)
      return above + Table.row(found, verdicts)
    }
    report.curves = Suite.curves.compactMap { $0.found(in: report.measurements) }
    if !options.isQuick { report.verdicts += report.curves.map(\.verdict) }
    print("\nRxSwift's figures: \(Quoted.source).")
    for curve in report.curves {
      print("\(curve.name): \(curve.sentence)")
    }
    print("", report.verdicts.map(Table.line).joined(separator: "\n"), separator: "\n")
    if let path = options.json { try report.write(to: path) }
    return report
  }

  /// Compares instructions with the stored ones, and prints each line as soon as it is complete.
  private static func countInstructions(_ options: Options) throws -> Report {
    let selected = try selected(options).filter(\.countsInstructions)
    var report = Report(machine: .current)
    print(report.machine.line, "", separator: "\n")
    try forEach(selected, nominal: { _ in 3 }, in: &report) { workload, report in
      let found = try Callgrind.instructions(of: workload)
      let finding = Thresholds.stored.finding(.instructions, found, of: workload.name)
      let verdict = Verdict(on: workload.name, finding, isTarget: false)
      report.instructions[workload.name] = found
      report.verdicts.append(verdict)
      return Table.line(verdict)
    }
    if let path = options.json { try report.write(to: path) }
    return report
  }

  /// Stores the figures that repeat exactly, and prints their changes.
  ///
  /// Keeps the figures of other workloads, if they are of this compiler.
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
    let workload = Suite.workloads.first { $0.name == single.workload }
    guard let contender = workload?.contender(single.contender) else {
      throw Options.Invalid(argument: "\(single.workload)/\(single.contender)")
    }
    print(contender.prepare()(single.operations))
  }

  /// Calls `work` for each workload and prints the returned row; Ctrl-C ends the run and marks the
  /// report as partial.
  private static func forEach(
    _ workloads: [Workload],
    nominal: (Workload) -> Double,
    in report: inout Report,
    _ work: (Workload, inout Report) throws -> String
  ) throws {
    Interrupt.listen()
    FileLimit.raise()
    var progress = Progress(
      of: workloads.count, nominal: workloads.reduce(0) { $0 + nominal($1) })
    do {
      for workload in workloads {
        try Interrupt.check()
        progress.begin(workload.name)
        let row = try work(workload, &report)
        progress.end(nominal: nominal(workload))
        print(row)
        fflush(nil)
      }
    } catch is Interrupt.Requested {
      report.isPart = true
      print("\nEnded by Ctrl-C.")
    }
  }

  private static func selected(_ options: Options) throws -> [Workload] {
    let selected = Suite.workloads.filter { options.includes($0.name) }
    if selected.isEmpty { throw Options.Invalid(argument: "--only") }
    return selected
  }

  private static func fail(_ message: String, code: Int32) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(code)
  }
}
