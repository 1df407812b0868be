import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite("Store", .workerPool(limit: 300))
struct StoreTests {
  let time = VirtualTime()

  @Test func `an action sent on the main queue is reduced at once`() {
    let screen = Screen(
      ClosureComposer { _, state, _ in
        state.count += 1
        return .none
      }
    )
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.count == 1)
  }

  @Test func `actions of the reducer are reduced before those of its effect, and never nested`() {
    let screen = Screen(
      ClosureComposer { probe, state, action in
        state.log.append("\(action)")
        guard action == .go else { return .none }
        probe.action.accept(.tick)
        return .send(.stop)
      }
    )
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.log == ["go", "tick", "stop"])
  }

  @Test func `observers of the actions receive a cause before its effects`() {
    let screen = Screen(
      ClosureComposer { _, _, action in
        switch action {
        case .go: .send(.tick)
        case .tick: .send(.stop)
        default: .none
        }
      }
    )
    let received = EventRecorder<ClosureComposer.Action>()
    let subscription = screen.composer.action.asObservable().subscribe(onNext: {
      received.append($0)
    })
    screen.composer.action.accept(.go)
    #expect(received.events == [.go, .tick, .stop])
    subscription.dispose()
  }

  @Test func `a busy composer lets other work of the main queue run`() async {
    let reduced = Locked(0)
    let screen = Screen(
      ClosureComposer { _, _, _ in
        reduced.withLock { $0 += 1 }
        return .none
      }
    )
    let action = screen.composer.action
    let isOver = Locked(false)
    // Sends faster than the main queue reduces, until the next block of the queue has run. The
    // number of queued actions is limited, because other tests may block the main queue.
    let producer = Task.detached {
      var sent = 0
      while !isOver.withLock({ $0 }) {
        if sent - reduced.withLock({ $0 }) < 100_000 {
          action.accept(.go)
          sent += 1
        } else {
          await Task.yield()
        }
      }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
    isOver.withLock { $0 = true }
    await producer.value
  }

  @Test func `an observer that sends receives every step, one after the other`() {
    let screen = Screen(
      ClosureComposer { _, state, _ in
        state.count += 1
        return .none
      }
    )
    let seen = EventRecorder<Int>()
    let action = screen.composer.action
    let subscription = screen.composer.$state.states.subscribe(onNext: { state in
      seen.append(state.count)
      if state.count == 1 { action.accept(.go) }
      seen.append(-state.count)
    })
    screen.composer.action.accept(.go)
    #expect(seen.events == [0, 0, 1, -1, 2, -2])
    subscription.dispose()
  }

  @Test func `an effect reads the state that its action has published`() {
    let seen = EventRecorder<Int>()
    let probe = ClosureComposer { probe, state, action in
      state.count = 42
      let states = probe.$state.states
      return .create { observer in
        _ = states.take(1).subscribe(onNext: { seen.append($0.count) })
        observer.onCompleted()
        return Disposables.create()
      }
    }
    Screen(probe).composer.action.accept(.go)
    #expect(seen.events == [42])
  }

  @Test func `a write of an effect to the state is kept`() {
    let probe = ClosureComposer { probe, state, action in
      state.count = 1
      let box = probe.$state
      return .create { observer in
        box.wrappedValue.count += 10
        observer.onCompleted()
        return Disposables.create()
      }
    }
    let screen = Screen(probe)
    screen.composer.action.accept(.go)
    #expect(screen.composer.state.count == 11)
  }

  @Test func `actions of other threads are reduced on the main queue, all and in order`() async {
    let screen = Screen(
      ClosureComposer { _, state, action in
        dispatchPrecondition(condition: .onQueue(.main))
        if case .number(let number) = action { state.log.append("\(number)") }
        state.count += 1
        return .none
      }
    )
    let action = screen.composer.action
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask { for _ in 0..<5_000 { action.accept(.other) } }
      }
      group.addTask { for number in 0..<1_000 { action.accept(.number(number)) } }
    }
    action.accept(.number(1_000))
    #expect(screen.composer.state.count == 16_001)
    let expected = (0...1_000).map { "\($0)" }
    #expect(screen.composer.state.log == expected)
  }

  @Test func `a composer that is bound twice reduces each action once`() {
    let probe = ClosureComposer { _, state, _ in
      state.count += 1
      return .none
    }
    let (first, second) = (Screen(probe), Screen(probe))
    first.composer.action.accept(.go)
    second.composer = probe
    second.composer.action.accept(.go)
    #expect(probe.state.count == 2)
  }

  @Test func `an uncaught error of an effect is reported, and the composer continues`() {
    let screen = Screen(
      ClosureComposer { _, state, action in
        state.count += 1
        switch action {
        case .go: return .run(.error(Failure()))
        case .stop: return .error(Failure())
        case .tick: return Observable.run(.error(Failure())).cancellable(DisposeBag())
        default: return .none
        }
      }
    )
    for action in [ClosureComposer.Action.go, .stop, .tick, .other] {
      screen.composer.action.accept(action)
    }
    #expect(screen.composer.failures == ["Failure() from go", "Failure() from stop"])
    #expect(screen.composer.state.count == 4)
  }

  @Test func `CancellationError completes an effect without a report`() {
    let caught = EventRecorder<String>()
    let screen = time.run {
      Screen(
        ClosureComposer { _, _, action in
          action == .go
            ? .run { _ in
              throw CancellationError()
            } catch: {
              caught.append("\($0)")
              return .none
            }
            : .error(CancellationError())
        }
      )
    }
    screen.composer.action.accept(.go)
    screen.composer.action.accept(.stop)
    time.settle()
    #expect(caught.events.isEmpty)
    #expect(screen.composer.failures.isEmpty)
  }

  @Test func `releasing the composer ends its effects while its relay is alive`() {
    let liveCount = LiveCount()
    let ticks = EventRecorder<Int>()
    func sendAndRelease() -> PublishRelay<ClosureComposer.Action> {
      let screen = time.run {
        Screen(
          ClosureComposer(alive: liveCount) { probe, state, action in
            guard action == .go else {
              state.count += 1
              ticks.append(state.count)
              return .none
            }
            return .merge(
              .timer(.send(.tick), period: .seconds(1), disposeBag: probe.disposeBag),
              .interval(.send(.tick), period: .seconds(1)),
              .run { _ in
                try await withTaskCancellationHandler {
                  try await Task.sleep(for: .seconds(3_600))
                } onCancel: {
                  ticks.append(-1)
                }
              }
            )
          }
        )
      }
      screen.composer.action.accept(.go)
      time.advance(by: .milliseconds(1_500))
      #expect(ticks.events == [1, 2, 3])
      return screen.composer.action
    }
    let relay = sendAndRelease()
    #expect(liveCount.count == 0)
    #expect(ticks.events == [1, 2, 3, -1])
    relay.accept(.tick)
    time.advance(by: .seconds(10))
    #expect(ticks.events == [1, 2, 3, -1])
  }

  @Test func `an effect whose bag is kept ends when it sends after the composer's release`() {
    let diary = EventRecorder<String>()
    func sendAndRelease() -> (DisposeBag, PublishRelay<ClosureComposer.Action>) {
      let screen = time.run {
        Screen(
          ClosureComposer { _, _, action in
            guard action == .go else { return .none }
            return Observable.interval(.send(.tick), period: .seconds(1))
              .do(onNext: { _ in diary.append("tick") }, onDispose: { diary.append("disposed") })
          }
        )
      }
      screen.composer.action.accept(.go)
      time.advance(by: .seconds(1))
      return (screen.composer.disposeBag, screen.composer.action)
    }
    let (bag, relay) = sendAndRelease()
    time.advance(by: .seconds(10))
    #expect(diary.events == ["tick", "tick", "disposed"])
    #expect(bag.count == 0)
    withExtendedLifetime(relay) {}
  }

  @Test func `a composer's bag holds only running effects`() {
    let screen = time.run {
      Screen(
        ClosureComposer { _, state, action in
          switch action {
          case .go: return .run { $0.onNext(.send(.tick)) }
          case .other: return .run(.just(.tick))
          default: return .none
          }
        }
      )
    }
    for _ in 0..<100 {
      screen.composer.action.accept(.go)
      screen.composer.action.accept(.other)
    }
    #expect(screen.composer.disposeBag.count == 100)
    time.settle()
    #expect(screen.composer.disposeBag.count == 0)
  }
}
