import InMemoryTracing
import IntegrationTestSupport
import Sockets
import Testing
import Tracing
@testable import TracingIntegration

@Suite(.timeLimit(.minutes(2))) struct TracingTests {
  private let tracer = InMemoryTracer(idGenerator: .incrementing)

  private func finished(_ name: String) throws -> FinishedInMemorySpan {
    try #require(
      tracer.finishedSpans.first { $0.operationName == name }, "no finished span \(name)")
  }

  @Test func `a trace goes from a client through the handshake to its server`() async throws {
    let server = try WebSocketServer(configuration: .quiet)
    let echo = Echo(server)
    try await withTracer(tracer) {
      // Kept: a released one closes its connection.
      let socket = try await withSpan("connect", ofKind: .client) { _ in
        var configuration = WebSocketConfiguration.quiet
        configuration.headers.inject(ServiceContext.current)
        let socket = WebSocket.connect(to: server.url, configuration: configuration)
        try await socket.connected()
        return socket
      }
      try await echo.sockets.wait { $0.count == 1 }
      let connection = echo.sockets.value[0]
      let context = try #require(connection.request).serviceContext
      withSpan("join", context: context, ofKind: .server) { _ in }
      withExtendedLifetime(socket) {}
    }
    let (client, joined) = (try finished("connect"), try finished("join"))
    #expect(joined.traceID == client.traceID)
    #expect(joined.parentSpanID == client.spanID)
    #expect(tracer.performedContextExtractions.count == 1)
  }

  @Test func `plain requests carry a context, and none is a new trace`() {
    withTracer(tracer) {
      var headers: HTTPHeaders = ["in-memory-trace-id": "old"]
      headers.inject(nil)
      #expect(headers["in-memory-trace-id"] == "old")
      withSpan("get") { span in
        headers.inject(span.context)
        let request = HTTPRequest(path: "/", headers: headers)
        #expect(request.serviceContext.inMemorySpanContext == span.context.inMemorySpanContext)
      }
      #expect(HTTPRequest(path: "/").serviceContext.inMemorySpanContext == nil)
    }
  }

  @Test func `a request over a socket has a client span, with the error of a lost one`()
    async throws
  {
    struct Question: Codable, Identifiable, Sendable { var id: Int }
    let server = try WebSocketServer(configuration: .quiet)
    let echo = Echo(server)
    let socket = WebSocket.connect(to: server.url, configuration: .quiet)
    try await socket.connected()
    let reply: Single<Question> = socket.request(
      Question(id: 7), as: Question.self, matching: \.id)
    #expect(try await reply.span("ask", ofKind: .client, tracer: tracer).value.id == 7)
    let span = try finished("ask")
    #expect(span.kind == .client && span.errors.isEmpty && span.status == nil)

    socket.close()
    await #expect(throws: RequestError.self) {
      _ = try await reply.span("late", tracer: tracer).value
    }
    let late = try finished("late")
    #expect(late.status?.code == .error)
    #expect(late.errors.first?.error is RequestError)
    withExtendedLifetime(echo) {}
  }

  @Test func `the context of an effect's span is that of its task, and cancelling ends the span`()
    async throws
  {
    let context = Watched<ServiceContext?>(nil)
    let effect = Observable<Int>.create { _ in
      context.update { $0 = .current }
      // Never ends.
      try await Task.sleep(for: .seconds(3_600))
    }
    let subscription = effect.span("wait", tracer: tracer, attributes: ["room": "7"]).subscribe()
    try await context.wait { $0 != nil }
    #expect(tracer.activeSpans.count == 1)
    #expect(
      context.value?.inMemorySpanContext?.spanID == tracer.activeSpans.first?.spanID)
    subscription.dispose()
    let span = try finished("wait")
    #expect(span.attributes.get("observable.cancelled") == true)
    #expect(span.attributes.get("room") == "7")
    #expect(span.status == nil)
  }

  @Test func `spans of a composer have their causes as parents`() throws {
    let composed = Composed(sending: Counting())
    let spans = composed.recordSpans(as: "Counting", tracer: tracer)
    withTracer(tracer) {
      withSpan("button") { _ in composed.send(.begin) }
    }
    let button = try finished("button")
    let (begin, effect) = (try finished("Counting.begin"), try finished("Counting effect"))
    let (counted, done) = (try finished("Counting.counted"), try finished("Counting.done"))
    #expect(begin.parentSpanID == button.spanID)
    #expect(effect.parentSpanID == begin.spanID)
    // An action of the effect, and one that this action's step has sent.
    #expect(counted.parentSpanID == effect.spanID)
    #expect(done.parentSpanID == counted.spanID)
    #expect(Set(tracer.finishedSpans.map(\.traceID)).count == 1)
    #expect(begin.attributes.get("composer.name") == "Counting")
    #expect(begin.attributes.get("composer.step") == 1)
    #expect(effect.attributes.get("composer.effect.outcome") == "completed")
    spans.dispose()
  }

  @Test func `a span has the name of the action's case, without its values`() {
    enum Action: CustomStringConvertible {
      case loaded(String), failed
      var description: String { "ann@example.com" }
    }
    enum Plain { case tick, set(value: Int) }
    #expect(actionName(of: Action.loaded("ann@example.com")) == "loaded")
    #expect(actionName(of: Action.failed) == "Action")
    #expect(actionName(of: Plain.tick) == "tick" && actionName(of: Plain.set(value: 1)) == "set")
    #expect(actionName(of: "ann@example.com") == "String")
  }

  @Test func `the last action of an effect that runs for long has the effect as its parent`() throws
  {
    let composed = Composed(sending: Counting())
    let spans = composed.recordSpans(as: "Counting", tracer: tracer)
    let last = PublishSubject<Int>()
    composed.send(.observe(last.asObservable()))
    for _ in 0..<1_500 { composed.send(.done) }
    last.onNext(7)
    let counted = try finished("Counting.counted")
    last.onCompleted()
    let effect = try finished("Counting effect")
    #expect(counted.parentSpanID == effect.spanID)
    spans.dispose()
  }

  @Test func `a cause is remembered for 1,000 ends after its own`() {
    var causes = SpanCauses()
    func span(_ name: String) -> any Span { tracer.startAnySpan(name, context: .topLevel) }
    _ = causes.start(1, span("long"))
    for step in 1...1_500 { causes.add(.step(step), .topLevel) }
    #expect(causes.context(for: ActionSource.effect(1)) != nil)
    _ = causes.end(1)
    for step in 1_501...2_499 { causes.add(.step(step), .topLevel) }
    #expect(causes.context(for: ActionSource.effect(1)) != nil)
    causes.add(.step(2_500), .topLevel)
    #expect(causes.context(for: ActionSource.effect(1)) == nil)
  }

  @Test func `a slow consumer suspends a source through its span`() async throws {
    let made = Watched(0)
    let source = Observable<Int>.generate(
      initialState: 0, condition: { $0 < 2_000 }, iterate: { $0 + 1 }
    ).do(onNext: { _ in made.update { $0 += 1 } })
    var elements = source.span("load", tracer: tracer).values(buffer: .bounded(4, .suspend))
      .makeAsyncIterator()
    for expected in 0..<100 {
      #expect(try await elements.next() == expected)
      #expect(made.value <= expected + 4 + 2)
    }
  }

  @Test func `failed, cancelled and running effects end their spans with the outcome`() throws {
    let composed = Composed(sending: Counting())
    let spans = composed.recordSpans(as: "Counting", tracer: tracer)
    func last() throws -> FinishedInMemorySpan {
      try #require(tracer.finishedSpans.last { $0.operationName == "Counting effect" })
    }
    composed.send(.fail)
    #expect(try last().status == SpanStatus(code: .error, message: "Failure()"))
    composed.send(.wait)
    composed.send(.cancel)
    let outcomes = tracer.finishedSpans.map { $0.attributes.get("composer.effect.outcome") }
    // Cancelling is an effect of its own.
    #expect(outcomes.suffix(2).contains("cancelled") && outcomes.suffix(2).contains("completed"))
    composed.send(.wait)
    #expect(tracer.activeSpans.count == 1)
    spans.dispose()
    #expect(tracer.activeSpans.isEmpty)
    let count = tracer.finishedSpans.count
    composed.send(.begin)
    #expect(tracer.finishedSpans.count == count)
  }
}

private final class Counting: Composer, EffectFailureHandling {
  struct Failure: Error {}
  enum Action { case begin, counted(Int), done, fail, wait, cancel, observe(Observable<Int>) }
  struct State {}

  @ComposableState var state = State()
  var action = PublishRelay<Action>()
  var disposeBag = DisposeBag()

  func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
    switch action {
    // More than one element, so that it is an effect and not an action that is sent.
    case .begin: Observable.of(1).map { .send(.counted($0)) }
    case .counted: .send(.done)
    case .done: .none
    case .fail: .error(Failure())
    case .wait: .never()
    case .cancel: .cancel(&disposeBag)
    case .observe(let numbers): numbers.map { .send(.counted($0)) }
    }
  }

  func effectFailed(_ failure: EffectFailure<Action>) -> Observable<Effect<Action>> { .none }
}
