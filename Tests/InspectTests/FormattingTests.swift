import TestSupport
import Testing

@testable import inspect

@Suite("The lines of inspect", .workerPool)
struct InspectFormattingTests {
  private static let composers = [
    ComposerInfo(composer: 1, name: "Search"), ComposerInfo(composer: 2, name: "Row"),
    ComposerInfo(composer: 3, name: "Row"),
  ]
  private let format = RowFormat(
    started: 100, names: SourceNames(Self.composers), isAligned: false)

  private func line(_ change: (inout Row) -> Void, kind: String = "step", composer: Int = 1)
    -> String
  {
    var row = Row(event: 812, composer: composer, time: 112.345, kind: kind)
    change(&row)
    return format.line(row).text
  }

  @Test func `a step has its sender, its action and its changes`() {
    let line = line {
      ($0.step, $0.source) = (12, Cause(kind: "effect", effect: 4))
      ($0.text, $0.changes) = ("toggle(id: 7)", ["rows[id: 7].isDone: false → true"])
    }
    #expect(
      line
        == "#812 12.345 Search step 12 by effect 4: toggle(id: 7)   rows[id: 7].isDone: false → true"
    )
  }

  @Test func `a step from outside has no sender, and counts the changes that it leaves out`() {
    let line = line {
      ($0.step, $0.source, $0.text) = (1, Cause(kind: "outside"), "load")
      ($0.changes, $0.moreChanges) = (["a: 1 → 2", "b: 1 → 2", "c: 1 → 2"], 1_234)
    }
    #expect(line == "#812 12.345 Search step 1: load   a: 1 → 2, b: 1 → 2, c: 1 → 2, 1,234 more")
  }

  @Test func `a step without an action has the name of its change`() {
    let line = line {
      ($0.step, $0.text, $0.change) = (3, "", "dismiss Editor")
      $0.source = Cause(kind: "shared", step: 5, name: "Settings")
    }
    #expect(line == "#812 12.345 Search step 3 by shared value of Settings, step 5: dismiss Editor")
  }

  @Test func `starts and ends of effects have their origin and their outcome`() {
    let started = line(
      { row in
        (row.effect, row.id, row.effectKind) = (5, "save", "run")
        row.origin = Cause(kind: "step", step: 12)
      }, kind: "started")
    #expect(started == "#812 12.345 Search effect 5 run save started by step 12")
    let failed = line(
      {
        ($0.effect, $0.outcome, $0.error) = (5, "failed", "no\nnetwork")
        ($0.id, $0.effectKind) = ("save", nil)
      }, kind: "ended")
    #expect(failed == #"#812 12.345 Search effect 5 save failed: no\nnetwork"#)
  }

  @Test func `composers of one name have their numbers, and unknown ones too`() {
    #expect(line({ $0.step = 1 }, composer: 3) == "#812 12.345 Row#3 step 1")
    #expect(line({ $0.step = 1 }, composer: 9) == "#812 12.345 composer 9 step 1")
  }

  @Test func `columns are aligned`() {
    var format = format
    format.isAligned = true
    let row = Row(event: 1, composer: 2, time: 100, kind: "step", step: 1)
    #expect(format.line(row).text == "     #1     0.000 Row#2  step 1")
  }

  @Test func `colours are escape sequences, and those of the program are visible`() {
    let line = StyledText("a\u{1B}[31m", .red) + StyledText("b\u{202E}c")
    #expect(line.text == #"a\u{1B}[31mb\u{202E}c"#)
    #expect(line.escaped == "\u{1B}[38;5;167ma\\u{1B}[31m\u{1B}[0mb\\u{202E}c")
    #expect("grüße 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿".visible == "grüße 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿")
  }

  @Test func `numbers have groups of three digits`() {
    #expect(Figures.count(0) == "0")
    #expect(Figures.count(12_345) == "12,345")
    #expect(Figures.count(-1_234_567) == "-1,234,567")
    #expect(Figures.rate(0.25) == "0.2")
    #expect(Figures.rate(.infinity) == "inf")
  }

  @Test func `composers are a table with their children`() {
    let composers = [
      ComposerInfo(
        composer: 1, name: "Search", type: "SearchComposer", steps: 12_345, stepsPerSecond: 2.5,
        running: 1, actions: ["refresh", "open"], canSend: true,
        children: [ChildInfo(name: "Row", isMany: true, live: 20)]),
      ComposerInfo(composer: 2, name: "Login", type: "Login", isLive: false),
    ]
    #expect(
      ComposerReport.lines(composers).map(\.text) == [
        "#  composer  type             steps   /s  queue  running  actions",
        "1  Search    SearchComposer  12,345  2.5      0        1  refresh, open",
        "     └ Row × 20",
        "2  Login     Login                0  0.0      0        0  ended",
      ])
    #expect(
      ComposerReport.lines(Array(composers.suffix(1))).map(\.text) == [
        "#  composer  type   steps  queue  running  actions",
        "2  Login     Login      0      0        0  ended",
      ])
  }

  @Test func `effects run or have ended`() {
    let report = EffectReport(started: 100, names: SourceNames(Self.composers))
    let origin = Cause(kind: "stateEffect", id: "watch")
    var effect = EffectInfo(
      composer: 1, effect: 17, id: "query", origin: origin, event: 40, started: 101.5)
    #expect(
      report.line(effect).text
        == "    #40     1.500 Search effect 17 query by the state, watch: running")
    effect.age = 3.25
    #expect(report.line(effect).text.hasSuffix("watch: running for 3.250 s"))
    (effect.ended, effect.outcome, effect.error, effect.emissions) = (102, "failed", "404", 2)
    #expect(
      report.line(effect).text.hasSuffix("watch: failed after 0.500 s: 404, 2 actions"))
  }

  @Test func `causes and effects are a tree`() {
    func row(_ event: Int) -> Row {
      Row(event: event, composer: 1, time: 100, kind: "step", step: event)
    }
    let reply = CausesAndEffects(
      causes: [row(2)],
      effects: [.init(row: row(4), children: [.init(row: row(5), children: [])])], isCut: true)
    #expect(
      CauseReport.lines(row(3), reply, format).map(\.text) == [
        "#3 0.000 Search step 3", "caused by", "  #2 0.000 Search step 2", "has caused",
        "  #4 0.000 Search step 4", "    #5 0.000 Search step 5",
        "  … and more, which the program has left out",
      ])
  }
}
