import Foundation
import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct StreamsTests {
  @Test func `Streams.live lists each harness of a subscription with operator, file and line`()
    throws
  {
    // Operator, place from the first line of the function, elements, parent.
    #expect(
      try listed(by: "stages") == [
        "subscribe Traced.swift:7 2 -", "distinctUntilChanged Traced.swift:6 2 subscribe",
        "filter Traced.swift:5 2 distinctUntilChanged", "map Traced.swift:4 3 filter",
        "PublishSubject Traced.swift:1 3 map",
      ])
  }

  @Test func `Streams.live lists no stages while tracing is off`() throws {
    // A stream created before tracing is listed only by its subscription.
    #expect(
      try listed(by: "switch") == [
        "off:", "on:", "subscribe Traced.swift:7 0 -", "off again:", "subscribe Traced.swift:7 0 -",
        "disposed of:",
      ])
  }

  @Test func `a traced source has its operator's stream as its parent`()
    throws
  {
    #expect(
      try listed(by: "parents") == [
        "subscribe Traced.swift:7 0 -", "take Traced.swift:6 0 subscribe",
        "skip Traced.swift:6 0 take", "BehaviorSubject Traced.swift:2 1 skip",
        "flatMap Traced.swift:5 0 take", "PublishSubject Traced.swift:1 2 flatMap",
        "map Traced.swift:5 0 flatMap", "PublishRelay Traced.swift:5 0 map",
        "map Traced.swift:5 0 flatMap", "PublishRelay Traced.swift:5 0 map", "ended",
      ])
  }

  @Test func `several stages of one operator call are one traced stream`() throws {
    #expect(
      try listed(by: "stagesOfOneCall") == [
        "subscribe Traced.swift:1 0 -", "single Traced.swift:1 0 subscribe",
        "PublishSubject Traced.swift:1 0 single",
      ])
  }

  @Test func `a traced subscription has the name of its subscribe function`() throws {
    let roots = try listed(by: "roots")
    #expect(
      roots.filter { !$0.hasPrefix("as") }
        == ["bind", "bind", "subscribe", "subscribe", "drive", "emit"])
  }

  @Test func `an unhandled error lists the operators that it passed`() throws {
    #expect(
      try listed(by: "errors") == [
        "[]",
        "[map — Traced.swift:8, filter — Traced.swift:9, subscribe — Traced.swift:10]",
        "[map — Traced.swift:13, flatMap — Traced.swift:13, retry — Traced.swift:14, subscribe — Traced.swift:15]",
        "[error — Traced.swift:17, subscribe — Traced.swift:17, here]",
      ])
  }

  @Test func `an unhandled error is printed with its operators`() throws {
    let lines = try listed(by: "unhandledError")
    #expect(
      lines.first
        == "Reactive: an error that no onError or catch handles: Sequence doesn't contain any elements."
    )
    #expect(
      lines.dropFirst().map { $0.prefix { $0 != ":" } } == [
        "  map — Traced.swift", "  subscribe — Traced.swift",
      ])
  }

  @Test func `an unhandled error keeps its operators across threads`() throws {
    #expect(
      try listed(by: "errorOnAnotherThread") == [
        "[map — Traced.swift:8, observe — Traced.swift:9, subscribe — Traced.swift:10]"
      ])
  }

  @Test func `the description of Streams.live is a tree with one line for each stream`() throws {
    let pattern = /, for \d+\.\d s, 2 elements, the last \d+\.\d s ago/
    #expect(
      try listed(by: "description").map { $0.replacing(pattern, with: "") } == [
        "1 subscribe — Traced.swift:3", "  2 map — Traced.swift:3",
        "    3 PublishSubject — Traced.swift:1", "4 subscribe — Traced.swift:4",
        "  5 PublishSubject — Traced.swift:1",
      ])
  }

  @Test func `Streams.live can be read while other threads subscribe and dispose`() throws {
    #expect(try listed(by: "threads") == ["2000"])
  }

  /// The lines that the function `name` of the program `Traced` prints.
  private func listed(by name: String) throws -> [String] {
    // The program is in the folder of the test program.
    let tests = try #require(Bundle.main.executableURL)
    let program = tests.deletingLastPathComponent().appending(path: "traced")
    let (text, status) = try printed(by: program, [name])
    #expect(status == 0)
    return text.split(separator: "\n").map(String.init)
  }

  // Tracing is switched on for the process, so this test runs in its own process.
  @Test func `Streams.live is empty after subscriptions ended, were disposed of or released`() async
  {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let subject = PublishSubject<Int>()
      let chain = subject.map { $0 }.flatMapLatest { Observable.just($0).startWith(0) }
      for number in 0..<2_000 {
        chain.subscribe().dispose()
        _ = chain.take(1).subscribe()
        let forgotten = PublishSubject<Int>()
        _ = forgotten.map { $0 }.subscribe()
        subject.onNext(number)
      }
      #expect(Streams.live.isEmpty)
    }
  }
}
