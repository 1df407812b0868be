import Inspector
import ReactiveTesting
import TestSupport
import Testing

@testable import Inspector

@Suite("DeliveredEvent", .workerPool)
struct DeliveredEventTests {
  private let sample = InspectedSample { $0.observesAll = true }
  private let socket = SilentSocket()
  private let bag = DisposeBag()

  /// Delivers a message of the socket, and sends what the program would send.
  private func receive(_ text: String, _ deliver: () -> Void) {
    sample.program.socket(socket, received: .text(text), deliver)
  }

  private func causes(ofStep step: Int) -> [String] {
    guard let head = sample.log.event(sample.event(ofStep: step))?.head else { return ["none"] }
    return CauseFinder(log: sample.log).causes(of: head)
      .compactMap { sample.log.event($0) }.map { event in
        let row = sample.program.reader.row(of: event)
        return row.kind == "received" ? "received \(row.text ?? "")" : row.shortText
      }
  }

  @Test func `an action that waits for another executor has the message that caused it`() {
    receive("one") { sample.composed.send(.add(1)) }
    receive("two") { sample.composed.send(.add(2)) }
    sample.composed.send(.add(3))
    sample.time.settle()
    #expect(causes(ofStep: 1) == ["received one"])
    #expect(causes(ofStep: 2) == ["received two"])
    #expect(causes(ofStep: 3).isEmpty)
  }

  @Test func `an action that waits behind a step has the message that caused it`() {
    let (program, composed) = (sample.program, sample.composed)
    composed.states
      .subscribe(onNext: { [socket] state in
        guard state.count == 1 else { return }
        program.socket(socket, received: .text("meanwhile")) { composed.send(.add(10)) }
      })
      .disposed(by: bag)
    sample.send(.add(1))
    #expect(causes(ofStep: 2) == ["received meanwhile"])
    #expect(causes(ofStep: 1).isEmpty)
  }

  @Test func `an action that is reduced during a delivery by chance has no message as its cause`() {
    sample.composed.send(.add(1))
    receive("unrelated") { sample.time.settle() }
    #expect(sample.rows.map(\.kind).contains("received"))
    #expect(causes(ofStep: 1).isEmpty)
  }

  @Test func `an action that another composer sends in its step keeps the message`() {
    let other = Composed(sending: Sample(), on: .virtual(sample.time))
    sample.add(other)
    sample.time.settle()
    let composed = sample.composed
    other.states
      .subscribe(onNext: { state in if state.count == 1 { composed.send(.add(5)) } })
      .disposed(by: bag)
    receive("to the other") { other.send(.add(1)) }
    sample.time.settle()
    let event = sample.rows.first { $0.text == "add(5)" }?.event ?? 0
    let head = sample.log.event(event)?.head
    #expect(head.map { CauseFinder(log: sample.log).causes(of: $0).count } == 1)
  }

  @Test func `what a step returns during a delivery has the step as its cause`() {
    receive("tick") { sample.composed.send(.ticked) }
    sample.time.settle()
    #expect(causes(ofStep: 2) == ["step 1 outside: ticked", "received tick"])
  }

  @Test func `an effect that starts and sends during a delivery is nearer than the message`() {
    let composed = Composed(sending: Prompt())
    sample.add(composed)
    receive("go") { composed.send(.start) }
    let event = sample.rows.first { $0.text == "started" }?.event ?? 0
    guard let head = sample.log.event(event)?.head else { return #expect(Bool(false)) }
    let kinds = CauseFinder(log: sample.log).causes(of: head)
      .compactMap { sample.log.event($0).map { sample.program.reader.row(of: $0).kind } }
    #expect(kinds == ["started", "step", "received"])
  }

  @Test func `an effect that was started before sends the message's action`() {
    let messages = PublishSubject<Int>()
    let composed = Composed(sending: Prompt(messages), on: .virtual(sample.time))
    sample.add(composed)
    composed.send(.listen)
    sample.time.settle()
    receive("seven") { messages.onNext(7) }
    sample.time.settle()
    let event = sample.rows.first { $0.text == "heard(7)" }?.event ?? 0
    guard let head = sample.log.event(event)?.head else { return #expect(Bool(false)) }
    let found = CauseFinder(log: sample.log).cause(of: head)
    #expect(found.flatMap { sample.log.event($0)?.head.kind.name } == "received")
    #expect(head.kind == .step(2, .effect(1)))
  }

  @Test func `a composer that is not observed any more does not keep messages`() {
    sample.program.stop()
    receive("late") { sample.composed.send(.add(1)) }
    sample.time.settle()
    #expect(sample.composed.state.count == 1)
  }

  private final class Prompt: Composer {
    enum Action { case start, started, listen, heard(Int) }
    struct State {}
    @ComposableState var state = State()
    let action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let messages: PublishSubject<Int>
    init(_ messages: PublishSubject<Int> = PublishSubject()) { self.messages = messages }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start: .concatenate(.send(.started), .none)
      case .listen: messages.map { .send(.heard($0)) }
      case .started, .heard: .none
      }
    }
  }
}

/// A socket that exists for the tools only.
private final class SilentSocket: TappedSocket {
  let tapName = "ws://silent"
  let isOfServer = false
  let serverIdentifier: ObjectIdentifier? = nil
  let reconnects = false
  let tapState = WebSocketState.connected
  let tapReconnection: ReconnectionState? = nil
  let tapMetrics: WebSocketMetrics? = nil
  let tapExtensions = ""
  func cut() {}
  let tapDelay = Duration.zero
  func slow(by delay: Duration) -> Bool { false }
}
