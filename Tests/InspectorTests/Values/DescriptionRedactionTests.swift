import Foundation
import Inspector
import TestSupport
import Testing

@testable import Inspector

@Suite("Hidden values in texts", .workerPool)
struct DescriptionRedactionTests {
  @Test(arguments: [
    (#"rejected(token: "S3CRET", code: 1)"#, "rejected(token: •••, code: 1)"),
    (#"token("S3CRET")"#, "token(•••)"),
    (
      #"Failure(authorization: Basic(user: "a, b", "c"), x: 2)"#,
      "Failure(authorization: •••, x: 2)"
    ),
    (#"password: "a \" b", x"#, "password: •••, x"),
    ("GET /?token=S3CRET&page=1", "GET /?token=•••&page=1"),
    (#"login(["password": "x"], ok)"#, #"login(["password": "•••"], ok)"#),
    ("the token is missing", "the token is missing"),
    ("token:", "token:"),
    (#"token: "unended"#, "token: •••"),
    ("secret(((", "secret(•••"),
    (#"{"password": "S3CRET"}"#, #"{"password": "•••"}"#),
  ])
  func `values of hidden names are hidden in a description`(text: String, shown: String) {
    #expect(InspectorRedaction.standard.hidingValues(inDescription: text) == shown)
  }

  @Test(arguments: [
    (
      #"{"command":"subscribe","identifier":"{\"channel\":\"Chat\",\"token\":\"S3CRET\"}"}"#,
      #"{"command":"subscribe","identifier":"{\"channel\":\"Chat\",\"token\":\"•••\"}"}"#
    ),
    (
      #"["{\"a\":\"[{\\\"password\\\":1}]\"}"]"#,
      #"["{\"a\":\"[{\\\"password\\\":\\\"•••\\\"}]\"}"]"#
    ),
    (#"{"a":"{\"token\":\"S3C"#, #"{"a":"{\"token\":\"•••\""#),
    (#"{"a":"plain \n text"}"#, #"{"a":"plain \n text"}"#),
  ])
  func `values of hidden names are hidden in JSON in a string of JSON`(text: String, shown: String)
  {
    #expect(InspectorRedaction.standard.hidingValues(inJSON: text) == shown)
  }

  @Test func `a deep text is looked through in time that grows with its length`() {
    func time(ofDepth depth: Int) -> Duration {
      let text =
        String(repeating: #"{"a":"#, count: depth) + #""token""#
        + String(repeating: #","a":1,"token":2"#, count: depth)
      let start = threadProcessorTime()
      #expect(!InspectorRedaction.standard.hidingValues(inJSON: text).contains("2"))
      return threadProcessorTime() - start
    }
    _ = time(ofDepth: 100)
    // Eight times as long, and not 64 times.
    #expect(time(ofDepth: 16_000) < time(ofDepth: 2_000) * 24)
  }

  private enum Rejection: Error { case rejected(token: String) }

  private final class Session: Composer, EffectFailureHandling {
    enum Action: Codable { case start }
    struct State: Codable {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      .run(.error(Rejection.rejected(token: "S3CRET"))).cancellable(id: "password=S3CRET")
    }
    func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> { .none }
  }

  @Test func `errors and ids of effects show no value of a hidden name`() throws {
    let sample = InspectedSample()
    let session = Composed(sending: Session())
    sample.add(session)
    session.send(.start)
    let record = try #require(sample.log.composers.last)
    let effect = try #require(sample.log.withLock { _ in record.ledger.ended.values.first })
    let shown = EffectsPage.Effect(effect, of: 2, at: .now, sample.program.reader.values)
    #expect(shown.error == "rejected(token: •••)")
    #expect(shown.id == "password=•••")
    let end = try #require(sample.rows.last)
    #expect(end.error == "rejected(token: •••)")
    #expect(end.id == "password=•••")
    let events = sample.log.events.compactMap { sample.log.event($0) }
    #expect(!events.contains { sample.program.reader.has("s3cret", $0) })
    #expect(events.contains { sample.program.reader.has("rejected(token: •••)", $0) })
    let recording = try record.recording(1...10, stepsOnly: false)
    let lines = try sample.program.reader.values.lines(of: recording)
    #expect(lines.count > 2)
    #expect(!lines.joined().contains("S3CRET"))
  }
}
