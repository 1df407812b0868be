import Foundation

/// The report: a page in Markdown, and the pictures that it shows.
@MainActor
struct Page {
  private let report: Report
  private let agreement: Agreement

  /// - Parameter others: further runs of the same, to see which figures repeat.
  init(_ report: Report, others: [Report]) {
    self.report = report
    agreement = Agreement(report, others)
  }

  /// Writes the page and its pictures into the folder at `path`, which is made if it does not exist.
  func write(into path: String) throws {
    let folder = URL(filePath: path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    func write(_ text: String, _ name: String) throws {
      try Data(text.utf8).write(to: folder.appending(path: name))
      print("\(path)/\(name)")
    }
    try write(RatioChart.summary(report).svg, "summary.svg")
    try write(RatioChart.reactive(report).svg, "reactive.svg")
    try write(RatioChart.compose(report).svg, "compose.svg")
    try write(RatioChart.sockets(report).svg, "sockets.svg")
    for curve in report.curves {
      try write(CurveChart(found: curve).svg, "\(curve.fileName).svg")
    }
    try write(text, "README.md")
  }

  private var text: String {
    """
    # Report

    Written by `Benchmarks/report.sh`; do not edit. [Benchmarks](../README.md) explains the figures and their limits.

    \(report.machine.line).\(report.isPart ? " **Only a part was measured.**" : "")

    ![The cost of other libraries, as a multiple of ours](summary.svg)

    Hollow marks are quoted: \(Quoted.source). \(agreement.sentence)

    ## Elements, subscriptions, timers

    ![Every workload of the group reactive](reactive.svg)

    \(table("reactive/"))

    ## Actions

    ![Every workload of the group compose](compose.svg)

    \(table("compose/"))

    ## Messages

    ![Every workload of the group sockets](sockets.svg)

    \(messages)

    ## Growth

    \(curves)

    ## Targets

    \(verdicts(where: { [.met, .missed, .info].contains($0) }))

    [Benchmarks](../README.md#what-is-missed-and-why) has the reasons for the missed targets.

    ## Gates

    \(verdicts(where: { [.pass, .fail].contains($0) }))

    """
  }

  private func rows(_ group: String) -> [Measurement] {
    report.measurements.filter { $0.name.hasPrefix(group) && !$0.isOfCurve }
  }

  private func table(_ group: String) -> String {
    guard let first = rows(group).first else { return "" }
    let compared = Table.compared(first).filter { name in
      rows(group).contains { $0.ratio(to: name) != nil }
    }
    var lines = [["workload", "ours, ns"] + compared.map { "/ \($0.title)" }]
    lines[0] += ["allocations", "live B", "kept B", "noise"]
    lines.append(["---"] + Array(repeating: "--:", count: lines[0].count - 1))
    for found in rows(group) {
      lines.append(
        [found.shortName, found.nanoseconds(of: .ours)?.significant(3) ?? ""]
          + compared.map { found.ratio(to: $0)?.ratio(3) ?? "" }
          + [found.allocations, found.live, found.kept].map { $0.significant(3) }
          + [agreement.noise(of: found)])
    }
    return markdown(lines)
  }

  private var messages: String {
    var lines = [
      ["workload", "", "p50, us", "p99, us", "messages / s", "MB / s", "CPU, ns", "noise"],
      ["---", "---", "--:", "--:", "--:", "--:", "--:", "--:"],
    ]
    for found in rows("sockets/") {
      for name in Contender.Name.allCases {
        guard let cpu = found.nanoseconds(of: name) else { continue }
        let rate = found.messageBytes.flatMap { _ in found.perSecond(of: name) }
        let bytes = Double(found.messageBytes ?? 0)
        let figures = [
          found.p50(of: name).map { $0 / 1000 }, found.p99(of: name).map { $0 / 1000 }, rate,
          rate.map { $0 * bytes / 1e6 }, cpu,
        ]
        lines.append(
          [name == .ours ? found.shortName : "", name.title]
            + figures.map { $0?.significant(3) ?? "" }
            + [name == .ours ? agreement.noise(of: found) : ""])
      }
    }
    return markdown(lines)
  }

  private var curves: String {
    report.curves.map { curve in
      "\(curve.summary): **\(curve.sentence)**.\n\n"
        + "![\(curve.summary)](\(curve.fileName).svg)"
    }
    .joined(separator: "\n\n")
  }

  private func verdicts(where isIncluded: (Verdict.Outcome) -> Bool) -> String {
    var lines = [["workload", "target", "figure", "verdict"], ["---", "---", "--:", "---"]]
    for verdict in report.verdicts where isIncluded(verdict.outcome) {
      let isBad = verdict.outcome == .missed || verdict.outcome == .fail
      let outcome = isBad ? "**\(verdict.outcome)**" : "\(verdict.outcome)"
      lines.append([verdict.workload, verdict.target, verdict.figure, outcome])
    }
    return markdown(lines)
  }

  private func markdown(_ lines: [[String]]) -> String {
    lines.map { "| \($0.joined(separator: " | ")) |" }.joined(separator: "\n")
  }
}

extension CurveFound {
  var fileName: String { name.replacingOccurrences(of: "/", with: "-") }
}
