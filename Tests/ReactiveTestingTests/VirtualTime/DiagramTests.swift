import Reactive
import ReactiveTesting
import TestSupport
import Testing

@Suite(.workerPool) struct DiagramTests {
  @Test func `play returns the diagram of an unchanged source`() {
    for diagram in ["ab--c-|", "a-[bc]-x", "--", "[ab|]", "a", "|", ""] {
      #expect(play(diagram) { source, _ in source } == diagram)
    }
    #expect(play("a-(bc)-#") { source, _ in source } == "a-[bc]-x")
  }

  @Test func `play draws operators of time`() {
    #expect(play("ab--c-|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b--[c|]")
    #expect(play("ab-c-|") { $0.delay(.seconds(2), scheduler: $1) } == "--ab-c-|")
    #expect(play("abcdef-|") { $0.throttle(.seconds(2), scheduler: $1) } == "a-c-e-f|")
    #expect(play("a--b-x") { source, _ in source.catchAndReturn("!") } == "a--b-[!|]")
    #expect(
      play("", for: 4) { Observable<Int>.interval(.seconds(1), scheduler: $1).startWith(9) }
        == "9012"
    )
  }

  @Test func `play draws two sources on one time line`() {
    #expect(play("a--b|", "-1-2-|") { a, b, _ in Observable<Character>.merge(a, b) } == "a1-[b2]-|")
    #expect(
      play("a--b--|", "-1--2-|") { a, b, _ in
        Observable<String>.combineLatest(a, b) { "\($0)\($1)" }
      } == "-[a1]-[b1][b2]-|"
    )
    #expect(play("a-b-c-|", "---!") { a, b, _ in a.take(until: b) } == "a-b|")
  }

  @Test func `play draws any number of sources on one time line`() {
    #expect(play(["a", "-b", "--c|"]) { sources, _ in Observable.merge(sources) } == "abc-")
    #expect(play(["a|", "b|", "c|"]) { sources, _ in Observable.merge(sources) } == "[abc]|")
    #expect(play([]) { _, _ in Observable<Int>.just(1) } == "[1|]")
  }

  @Test func `a caret in a diagram is the subscription, which misses earlier events`() {
    #expect(play("ab^-c|") { source, _ in source } == "--c|")
    #expect(play("^a|") { source, _ in source } == "-a|")
    #expect(play("a[b^c]|") { source, _ in source } == "[bc]|")
    #expect(play("ab|^--") { source, _ in source } == "---")
    #expect(
      play("ab^----", for: 4) { Observable<Int>.interval(.seconds(1), scheduler: $1) } == "-012-"
    )
    #expect(play("a--^b|", "-c^-d") { a, b, _ in Observable<Character>.merge(a, b) } == "-bd")
  }

  @Test func `the transform of play observes events before the subscription`() {
    let drawing = play("ab^-c|") { source, _ in
      let last = ReplaySubject<Character>.create(bufferSize: 1)
      _ = source.subscribe(last)
      return last
    }
    #expect(drawing == "b-c|")
  }

  @Test func `play draws elements by their descriptions`() {
    let prices: [Character: Int] = ["a": 5, "b": 12]
    #expect(play("a-b|") { source, _ in source.compactMap { prices[$0] } } == "5-[12]|")
    #expect(play("[ab]|") { source, _ in source.compactMap { prices[$0] } } == "[512]|")
    #expect(play("a") { source, _ in source.map { _ in "" } } == "[]")
  }

  @Test func `play draws every error as x`() {
    struct Other: Error {}
    #expect(play("a-#") { source, _ in source } == "a-x")
    #expect(play("[a#]") { source, _ in source } == "[ax]")
    #expect(play("a-b-c") { source, _ in source.map { _ -> Int in throw Other() } } == "x")
    let isOurs = play("a-#") { source, _ in source.catch { .just($0 is DiagramError ? "d" : "?") } }
    #expect(isOurs == "a-[d|]")
  }

  @Test func `play draws an endless result to the length of the longest diagram`() {
    #expect(play("a---") { source, _ in source.take(1).concat(Observable.never()) } == "a---")
    #expect(play("a-", "-----") { a, b, _ in Observable<Character>.merge(a, b) } == "a----")
    #expect(play("a---b", for: 3) { source, _ in source } == "a----")
  }

  @Test func `play draws singles`() {
    #expect(play("a-|") { source, _ in source.asSingle() } == "--[a|]")
    #expect(play("a-b|") { source, _ in source.asSingle() } == "--x")
  }

  @Test func `play rethrows an error of its transform`() {
    #expect(throws: DiagramError.self) {
      _ = try play("a") { _, _ -> Observable<Int> in throw DiagramError() }
    }
  }

  @Test(arguments: [
    ("a(bc", "character 2: a group without an end."),
    ("a[bc)", "character 5: no group ends like this here."),
    ("ab)", "character 3: no group ends like this here."),
    ("a(b(c)", "character 4: a group within a group."),
  ])
  func `a diagram with unbalanced brackets fails the test with the position`(
    diagram: String, fault: String
  ) {
    withKnownIssue {
      _ = play(diagram) { source, _ in source }
    } matching: { issue in
      issue.comments.contains { $0.rawValue == "The diagram \"\(diagram)\" at \(fault)" }
        && issue.sourceLocation?.fileName == "DiagramTests.swift"
    }
  }
}
