extension RatioChart {
  /// Every workload of the group, a dot for each contender.
  @MainActor
  static func reactive(_ report: Report) -> RatioChart {
    let rows = report.measurements
      .filter { $0.name.hasPrefix("reactive/") && !$0.isOfCurve }
      .compactMap { row($0, label: $0.shortName, libraries: [.rxSwift]) }
    return RatioChart(
      title: "An element, a subscription, a timer: what others take, as a multiple of ours",
      subtitle: "CPU, each in turn in one process; \(report.machine.short)",
      rows: rows,
      legend: legend(report, "reactive/", [.loop, .chain, .peer, .async], ["RxSwift"])
    )
  }

  /// A heading for each workload, and a bar for each contender and each library that is quoted.
  @MainActor
  static func compose(_ report: Report) -> RatioChart {
    RatioChart(
      title: "An action: what others take, as a multiple of ours",
      subtitle: "CPU; hollow bars are quoted, not measured in this run; \(report.machine.short)",
      rows: bars(report, "compose/")
    )
  }

  /// The same for messages.
  @MainActor
  static func sockets(_ report: Report) -> RatioChart {
    RatioChart(
      title: "A message there and back: what others take, as a multiple of ours",
      subtitle:
        "By the clock, over loopback; hollow bars are quoted, not measured in this run; "
        + report.machine.short,
      rows: bars(report, "sockets/")
    )
  }

  /// The most important rows.
  @MainActor
  static func summary(_ report: Report) -> RatioChart {
    let chosen = [
      ("reactive/subject", "an element, one observer"),
      ("reactive/map3", "through map, filter, map"),
      ("reactive/share1000", "shared by a thousand"),
      ("reactive/flatMapLatest3", "through flatMapLatest"),
      ("reactive/subscribe3", "subscribe and dispose"),
      ("compose/accept", "an action, on main"),
      ("compose/send", "an action by an effect"),
      ("sockets/echo", "a message there and back"),
      ("sockets/pipelined", "a thousand on their way"),
      ("sockets/bulk", "64 KiB, eight on their way"),
    ]
    let rows = chosen.compactMap { name, label in
      report.measurement(name).flatMap {
        row($0, label: label, libraries: [.rxSwift, .rxCompose, .tca])
      }
    }
    let quoted = "RxSwift, RxCompose, TCA"
    return RatioChart(
      title: "What others take, as a multiple of ours",
      subtitle: "CPU; messages by the clock; hollow is quoted; \(report.machine.short)",
      rows: rows,
      legend: [Legend(label: "loop, raw TCP", paint: .loop)]
        + legend(report, "", [.chain, .store, .actor, .peer, .nio, .async, .flyingFox], [])
        + [Legend(label: quoted, paint: .rxSwift, isQuoted: true)]
    )
  }

  @MainActor
  private static func row(
    _ found: Measurement,
    label: String,
    libraries: [Quoted.Library]
  ) -> Row? {
    let marks =
      measured(found).map(\.mark)
      + quoted(found).filter { libraries.contains($0.library) }.map(\.mark)
    return marks.isEmpty ? nil : .dots(label, cost: found.cost, marks)
  }

  @MainActor
  private static func bars(_ report: Report, _ group: String) -> [Row] {
    report.measurements.filter { $0.name.hasPrefix(group) && !$0.isOfCurve }.flatMap {
      found -> [Row] in
      let measured = measured(found).map { ($0.name.title, $0.mark) }
      let quoted = quoted(found).map { ($0.library.rawValue, $0.mark) }
      // A contender of this run needs no quotation.
      let bars = measured + quoted.filter { quoted in !measured.contains { $0.0 == quoted.0 } }
      if bars.isEmpty { return [] }
      return [.heading(found.shortName, cost: found.cost)]
        + bars.sorted { $0.1.timesOurs < $1.1.timesOurs }.map { .bar($0, $1) }
    }
  }

  private static func measured(_ found: Measurement) -> [(name: Contender.Name, mark: Mark)] {
    Contender.Name.allCases.filter { $0 != .ours }.compactMap { name in
      found.timesOurs(name).map {
        (name, Mark(timesOurs: $0, paint: name.paint, isQuoted: false))
      }
    }
  }

  @MainActor
  private static func quoted(_ found: Measurement) -> [(library: Quoted.Library, mark: Mark)] {
    guard let quoted = Quoted.figures[found.name] else { return [] }
    return Quoted.Library.allCases.compactMap { library in
      quoted.timesOurs(library, found).map {
        let isOurKind = library == .rxSwift || library == .rxCompose || library == .tca
        let paint = isOurKind ? Drawing.Paint.rxSwift : .quoted
        return (library, Mark(timesOurs: $0, paint: paint, isQuoted: true))
      }
    }
  }

  private static func legend(
    _ report: Report,
    _ group: String,
    _ names: [Contender.Name],
    _ quoted: [String]
  ) -> [Legend] {
    let present = Set(
      report.measurements.filter { $0.name.hasPrefix(group) && !$0.isOfCurve }
        .flatMap { $0.rounds.flatMap(\.nanoseconds.keys) })
    return names.filter(present.contains).map { Legend(label: $0.title, paint: $0.paint) }
      + quoted.map { Legend(label: "\($0), quoted", paint: .rxSwift, isQuoted: true) }
  }
}

extension Measurement {
  /// Without its group.
  var shortName: String { name.split(separator: "/").last.map(String.init) ?? name }

  /// Whether it is one of a curve's points.
  var isOfCurve: Bool { name.contains("@") }

  /// What ours takes.
  var cost: String {
    let time =
      messageBytes == nil
      ? nanoseconds(of: .ours) : p50(of: .ours) ?? perSecond(of: .ours).map { 1e9 / $0 }
    return time.map(Growth.time) ?? ""
  }
}
