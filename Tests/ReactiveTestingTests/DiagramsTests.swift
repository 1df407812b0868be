import Reactive
import ReactiveTesting
import Testing

@Suite struct DiagramsTests {
  @Test func `what is not changed is drawn as it was`() {
    for diagram in ["ab--c-|", "a-[bc]-x", "--", "[ab|]", "a", "|", ""] {
      #expect(play(diagram) { source, _ in source } == diagram)
    }
    #expect(play("a-(bc)-#") { source, _ in source } == "a-[bc]-x")
  }

  @Test func `time is drawn`() {
    #expect(play("ab--c-|") { $0.debounce(.seconds(2), scheduler: $1) } == "---b--[c|]")
    #expect(play("ab-c-|") { $0.delay(.seconds(2), scheduler: $1) } == "--ab-c-|")
    #expect(play("abcdef-|") { $0.throttle(.seconds(2), scheduler: $1) } == "a-c-e-f|")
    #expect(play("a--b-x") { source, _ in source.catchAndReturn("!") } == "a--b-[!|]")
    #expect(
      play("", for: 4) { Observable<Int>.interval(.seconds(1), scheduler: $1).startWith(9) }
        == "9012"
    )
  }

  @Test func `two sources are drawn in one time`() {
    #expect(play("a--b|", "-1-2-|") { a, b, _ in Observable<Character>.merge(a, b) } == "a1-[b2]-|")
    #expect(
      play("a--b--|", "-1--2-|") { a, b, _ in
        Observable<String>.combineLatest(a, b) { "\($0)\($1)" }
      } == "-[a1]-[b1][b2]-|"
    )
    #expect(play("a-b-c-|", "---!") { a, b, _ in a.take(until: b) } == "a-b|")
  }
}
