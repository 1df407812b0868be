import Compose
import Foundation
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// The answers in CommonProblems.md that no other test shows.
@Suite("Common problems of such architectures", .workerPool(limit: 300))
struct CommonProblemsTests {
  final class Cell: Composer {
    enum Action { case tap, poll }
    struct State: Equatable, Identifiable { var id = 0, taps = 0 }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let alive: Alive?

    init(_ alive: Alive? = nil) {
      self.alive = alive
      alive?.change(by: 1)
    }

    deinit { alive?.change(by: -1) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .tap: state.taps += 1
      case .poll: return .interval(.send(.tap), period: .seconds(1))
      }
      return .none
    }
  }

  final class Alive: Sendable {
    private let number = Atomic(0)
    var count: Int { number.load(ordering: .sequentiallyConsistent) }
    func change(by change: Int) { number.add(change, ordering: .sequentiallyConsistent) }
  }

  final class Table: Composer {
    enum Action { case cell(Int, Cell.Action) }
    struct State { var cells = IdentifiedArray((0..<1_000).map { Cell.State(id: $0) }) }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    let cells = Children(\State.cells, Action.cell) { Cell() }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      guard case .cell(let id, let action) = action else { return .none }
      return cells.reduce(&state, id, action)
    }
  }

  @MainActor
  final class Screen<C: Composer> {
    @Compose var composer: C
    init(_ composer: C) { _composer = Compose(wrappedValue: composer) }
  }

  @MainActor
  @Test func `an action to one of a thousand children is one step for its observer`() {
    let screen = Screen(Table())
    let steps = Atomic(0)
    let received = Locked<[Int: [Int]]>([:])
    let bag = DisposeBag()
    screen.composer.$state.states.skip(1)
      .subscribe(onNext: { _ in steps.add(1, ordering: .relaxed) }).disposed(by: bag)
    for id in 0..<1_000 {
      screen.composer.$state.select(\.cells[id: id]?.taps).skip(1)
        .drive(onNext: { taps in received.withLock { $0[id, default: []].append(taps ?? -1) } })
        .disposed(by: bag)
    }
    screen.composer.action.accept(.cell(7, .tap))
    screen.composer.action.accept(.cell(7, .tap))
    #expect(steps.load(ordering: .relaxed) == 2)
    #expect(received.withLock { $0 } == [7: [1, 2]])
  }

  @Test func `ten thousand composers with timers reduce on two threads and leave no object alive`()
    async
  {
    let (alive, time) = (Alive(), VirtualTime())
    do {
      let cells = time.run { (0..<10_000).map { _ in Composed(sending: Cell(alive)) } }
      await withTaskGroup(of: Void.self) { group in
        for action in [Cell.Action.poll, .tap] {
          group.addTask { for cell in cells { cell.send(action) } }
        }
      }
      time.advance(by: .milliseconds(2_500))
      #expect(cells.allSatisfy { $0.state.taps == 3 })
      #expect(alive.count == 10_000)
    }
    #expect(alive.count == 0)
  }

  /// A large value: 4 ** 7 * 8 bytes when nested seven times.
  struct Four<Part: Equatable & Sendable>: Equatable, Sendable {
    var (a, b, c, d): (Part, Part, Part, Part)
    init(_ part: Part) { (a, b, c, d) = (part, part, part, part) }
  }

  final class Huge: Composer {
    struct State: Equatable { var numbers = Four(Four(Four(Four(Four(Four(0)))))) }
    @ComposableState var state = State()
    var action = PublishRelay<Int>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Int) -> Observable<Effect<Int>> {
      state.numbers.a.a.a.a.a.a = action
      return action > 0 ? .send(action - 1) : .run { _ in }
    }
  }

  #if !SANITIZED
  @Test func `a state of 32 KB is reduced by a thread with a stack of half a megabyte`() async {
    #expect(MemoryLayout<Huge.State>.size == 32_768)
    let huge = Composed(sending: Huge())
    await withCheckedContinuation { continuation in
      let thread = Thread {
        huge.send(1_000)
        continuation.resume()
      }
      thread.stackSize = 512 * 1_024
      thread.start()
    }
    #expect(huge.state.numbers.a.a.a.a.a.a == 0)
  }
  #endif

  final class Node: Composer {
    indirect enum Action: Sendable { case tick, repeatedly, child(Action) }
    struct State {
      var ticks = 0
      var children: [State] = []
      var child: State? {
        get { children.first }
        set { children = newValue.map { [$0] } ?? [] }
      }
      init(depth: Int) { if depth > 0 { children = [State(depth: depth - 1)] } }
    }
    @ComposableState var state: State
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
    private let child = Child(\State.child, Action.child) { Node(depth: 0) }

    init(depth: Int) { state = State(depth: depth) }

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .tick:
        state.ticks += 1
        return .none
      case .repeatedly: return .interval(.send(.tick), period: .seconds(1))
      case .child(let action): return child.reduce(&state, action)
      }
    }
  }

  @MainActor
  @Test func `children nested a hundred deep reduce, and so do their effects`() {
    let time = VirtualTime()
    let screen = time.run { Screen(Node(depth: 100)) }
    var action = Node.Action.repeatedly
    for _ in 0..<100 { action = .child(action) }
    screen.composer.action.accept(action)
    time.advance(by: .seconds(3))
    var state = screen.composer.state
    while let child = state.children.first { state = child }
    #expect(state.ticks == 3)
  }

  @Test func `a late observer receives the newest state, then all later states`() {
    let cell = Composed(sending: Cell())
    for _ in 0..<5 { cell.send(.tap) }
    let received = Locked<[Int]>([])
    let subscription = cell.states.subscribe(onNext: { state in
      received.withLock { $0.append(state.taps) }
    })
    for _ in 0..<3 { cell.send(.tap) }
    subscription.dispose()
    #expect(received.withLock { $0 } == [5, 6, 7, 8])
  }

  final class Off: Composer {
    enum Action { case start, sent(isOnMain: Bool) }
    struct State { var wasSentOnMain: Bool?, isReducedOnMain = false }
    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
      switch action {
      case .start: return .run { $0.onNext(.send(.sent(isOnMain: MainScheduler.isCurrent))) }
      case .sent(let isOnMain):
        (state.wasSentOnMain, state.isReducedOnMain) = (isOnMain, MainScheduler.isCurrent)
        return .none
      }
    }
  }

  @MainActor
  @Test
  func `an async effect runs off the main actor, and its actions are reduced on the main actor`()
    async
  {
    let screen = Screen(Off())
    screen.composer.action.accept(.start)
    for await state in screen.composer.$state.values where state.wasSentOnMain != nil { break }
    #expect(screen.composer.state.wasSentOnMain == false)
    #expect(screen.composer.state.isReducedOnMain)
  }
}
