import Foundation
import Inspector
import TestSupport
import Testing

@testable import Inspector

/// Tracing is switched on for the process, so most tests run in a process of their own.
// Reading the debug information of a sanitized program takes minutes.
@Suite("The view of streams", .workerPool, .enabled(if: !isSanitized))
struct StreamsViewTests {
  private struct Element: Sendable {
    let number: Int
    var password = "hunter2"
  }

  private struct Failure: Error { var token = "hunter2" }

  private final class Token: Sendable {}

  // The operators are called outside of the bodies of exit tests, which are macros: the places in them
  // are not those in this file.

  /// Two subscriptions that share one source.
  private final class SharedGraph {
    let bag = DisposeBag()
    let source: PublishSubject<Element>
    static let line = #line

    init() {
      source = PublishSubject()
      let shared = source.map { $0 }.share()
      shared.filter { $0.number > 1 }.subscribe().disposed(by: bag)
      shared.subscribe().disposed(by: bag)
    }
  }

  private static func subject<T>(of type: T.Type) -> PublishSubject<T> { PublishSubject() }

  private static func filtering(_ source: PublishSubject<Element>) -> any Disposable {
    source.filter { $0.number > 1 }.subscribe()
  }

  private static func mapping<T>(_ source: PublishSubject<T>) -> any Disposable {
    source.map { $0 }.subscribe()
  }

  private static func failing(_ source: PublishSubject<Element>) -> any Disposable {
    source.scan(0) { _, _ in throw Failure() }.subscribe(onError: { _ in })
  }

  /// An inspector that observes nothing but streams, and a client of it.
  private final class Inspected {
    let inspector: Inspector
    let client: InspectorClient

    init(tracesStreams: Bool = true) async throws {
      var configuration = InspectorConfiguration()
      configuration.observesAll = false
      configuration.tracesStreams = tracesStreams
      inspector = try Inspector(configuration)
      client = try await InspectorClient.greeted(inspector.url)
    }

    /// The streams whose operators this file calls.
    func streams() async throws -> [AnyJSON] {
      try await client("streams")["streams"]?.elements.filter {
        $0["file"]?.text == #filePath
      } ?? []
    }

    /// The number of the newest stream of an operator that this file calls.
    func stream(_ operator: String) async throws -> AnyJSON {
      try #require(try await streams().last { $0["operator"]?.text == `operator` }?["stream"])
    }

    /// The events of the notifications until there are so many, as `next 1`.
    func marbles(_ count: Int) async -> [String] {
      func all(_ notifications: [(method: String, params: AnyJSON)]) -> [AnyJSON] {
        notifications.filter { $0.method == "marbles" }
          .flatMap { $0.params["marbles"]?.elements ?? [] }
      }
      await client.notifications.wait { all($0).count >= count }
      return all(client.notifications.value).map { marble in
        [marble["kind"]?.text, marble["text"]?.text].compactMap(\.self).joined(separator: " ")
      }
    }
  }

  @Test func `streams have operators, places, parents, counts and last elements`() async {
    await #expect(processExitsWith: .success) {
      let inspected = try await Inspected()
      // The elements from before the first request are not kept.
      #expect(try await inspected.client("streams")["isTraced"] == true)
      var graph: SharedGraph? = SharedGraph()
      for number in 1...2 { graph?.source.onNext(Element(number: number)) }
      let streams = try await inspected.streams()
      let byNumber = Dictionary(
        uniqueKeysWithValues: streams.map { ($0["stream"]?.number ?? 0, $0) })
      let texts = streams.map { stream in
        let parent = stream["parent"]?.number.flatMap { byNumber[$0]?["operator"]?.text } ?? "-"
        let line = (stream["line"]?.number ?? 0) - SharedGraph.line
        return "\(stream["operator"]?.text ?? "") \(line) \(stream["count"]?.number ?? 0) \(parent)"
      }
      #expect(
        texts == [
          "subscribe 5 1 -", "filter 5 1 subscribe", "share 4 2 filter", "map 4 2 -",
          "PublishSubject 3 2 map", "subscribe 6 2 -", "share 4 2 subscribe",
        ])
      #expect(streams.allSatisfy { $0["last"] == "Element(number: 2, password: •••)" })
      #expect(streams.allSatisfy { $0["age"] != nil && $0["lastAge"] != nil })
      graph = nil
      #expect(try await inspected.streams().isEmpty)
    }
  }

  @Test func `the view of streams notifies, and keeps elements until it is unsubscribed`() async {
    await #expect(processExitsWith: .success) {
      let inspected = try await Inspected()
      let source = StreamsViewTests.subject(of: Token.self)
      let subscription = StreamsViewTests.mapping(source)
      try await inspected.client("subscribe", ["view": "streams"])
      weak let kept: Token?
      do {
        let token = Token()
        kept = token
        source.onNext(token)
      }
      #expect(kept != nil)
      // Of an object only the type is read: its properties may be changing.
      await inspected.client.notifications.wait { all in
        all.contains { method, params in
          method == "streams"
            && params["streams"]?.elements.contains { $0["last"] == "Token" } == true
        }
      }
      try await inspected.client("unsubscribe", ["view": "streams"])
      #expect(kept == nil)
      subscription.dispose()
    }
  }

  @Test func `a watched stream notifies of its elements and its end`() async {
    await #expect(processExitsWith: .success) {
      let inspected = try await Inspected()
      let source = StreamsViewTests.subject(of: Element.self)
      let other = StreamsViewTests.subject(of: Element.self)
      let subscriptions = [StreamsViewTests.filtering(source), StreamsViewTests.failing(other)]
      let filter = try await inspected.stream("filter")
      try await inspected.client("watch", ["stream": filter])
      try await inspected.client("watch", ["stream": filter])
      let start = Date()
      for number in 1...3 { source.onNext(Element(number: number)) }
      source.onCompleted()
      let completed = await inspected.marbles(3)
      #expect(
        completed == [
          "next Element(number: 2, password: •••)", "next Element(number: 3, password: •••)",
          "completed",
        ])
      let time = inspected.client.notifications.value.first?.params["marbles"]?[0]?["time"]
      if case .number(let time) = time {
        #expect(abs(time - start.timeIntervalSince1970) < 60)
      } else {
        Issue.record("\(String(describing: time)) is no time")
      }
      let scan = try await inspected.stream("scan")
      try await inspected.client("watch", ["stream": scan])
      other.onNext(Element(number: 1))
      #expect(await inspected.marbles(4).last == "error Failure(token: •••)")
      #expect(try await inspected.client.failure("watch", ["stream": filter])?.code == -32003)
      for subscription in subscriptions { subscription.dispose() }
    }
  }

  @Test func `a fast stream is cut, and its end is not`() async {
    await #expect(processExitsWith: .success) {
      let inspected = try await Inspected()
      let source = StreamsViewTests.subject(of: Int.self)
      let subscription = StreamsViewTests.mapping(source)
      let map = try await inspected.stream("map")
      try await inspected.client("watch", ["stream": map])
      for number in 0..<10_000 { source.onNext(number) }
      subscription.dispose()
      await inspected.client.notifications.wait { all in
        all.contains { $0.params["marbles"]?.elements.last?["kind"] == "disposed" }
      }
      let marbles = inspected.client.notifications.value.filter { $0.method == "marbles" }
      let counts = marbles.map { $0.params["marbles"]?.elements.count ?? 0 }
      #expect(counts.allSatisfy { $0 <= 201 })
      let skipped = marbles.reduce(0) { $0 + ($1.params["skipped"]?.number ?? 0) }
      #expect(counts.reduce(0, +) + skipped == 10_001)
    }
  }

  @Test func `an unwatched stream, and one of a client that has left, is not watched`() async {
    await #expect(processExitsWith: .success) {
      let inspected = try await Inspected()
      let source = StreamsViewTests.subject(of: Token.self)
      let subscription = StreamsViewTests.mapping(source)
      let stream = try await inspected.stream("PublishSubject")
      let watches = StreamWatches()
      for number in 1...2 {
        try watches.watch(stream.number ?? 0)
        if number == 1 { watches.unwatch(stream.number ?? 0) } else { watches.stop() }
        source.onNext(Token())
        #expect(watches.takeMarbles(StreamReader(ValueReader()), at: Date()) == nil)
      }
      #expect(try await inspected.client("unwatch", ["stream": stream]) == [:])
      subscription.dispose()
    }
  }

  @Test func `a list has the newest 2000 streams`() async {
    await #expect(processExitsWith: .success) {
      let inspected = try await Inspected()
      let source = PublishSubject<Int>()
      let bag = DisposeBag()
      for _ in 0..<1_100 { source.subscribe().disposed(by: bag) }
      let list = try await inspected.client("streams")
      let numbers = list["streams"]?.elements.compactMap { $0["stream"]?.number } ?? []
      #expect(numbers.count == 2_000)
      #expect(numbers == numbers.sorted())
      #expect((list["moreStreams"]?.number ?? 0) >= 200)
    }
  }

  @Test func `without tracing the list is empty and has a hint`() async throws {
    let inspected = try await Inspected(tracesStreams: false)
    let list = try await inspected.client("streams")
    #expect(list["isTraced"] == false)
    #expect(list["streams"] == [])
    #expect(list["hint"]?.text?.contains("Streams.isTraced = true") == true)
    #expect(try await inspected.client.failure("watch", ["stream": 1])?.code == -32003)
  }
}
