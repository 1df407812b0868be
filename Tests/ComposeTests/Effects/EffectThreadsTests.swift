import Compose
import Foundation
import ReactiveTesting
import TestSupport
import Testing

@Suite("Effects on several threads", .workerPool)
struct EffectThreadsTests {
  typealias Work = Observable<Effect<ClosureComposer.Action>>

  /// The first element waits inside an operator, whose calls are recorded, until `leave` is signaled.
  private let entered = DispatchSemaphore(value: 0)
  private let leave = DispatchSemaphore(value: 0)
  private let calls = EventRecorder<String>()

  private func mapped(_ work: Work) -> Work {
    work.map { [entered, leave, calls] effect in
      calls.append("begin")
      if effect.action == .number(1) {
        entered.signal()
        leave.waitInTime()
      }
      calls.append("end")
      return effect
    }
  }

  /// `go` starts `effect`, `stop` cancels the id 1, `tick` cancels all, and other actions are logged.
  private func composed(
    _ effect: @escaping @Sendable () -> Work
  ) -> Composed<ClosureComposer.State, ClosureComposer.Action> {
    Composed(
      sending: ClosureComposer { _, state, action in
        switch action {
        case .go: return effect()
        case .stop: return .cancel(id: 1)
        case .tick: return .cancelAll
        default:
          state.log.append("\(action)")
          return .none
        }
      })
  }

  @Test func `an effect that another thread cancels during a delivery ends after the delivery`()
    async throws
  {
    let composed = composed {
      let source = Work.create { observer in
        Thread.detachNewThread { observer.onNext(.send(.number(1))) }
        return Disposables.create()
      }
      return mapped(.concatenate(source.cancellable(id: 1), .send(.other)))
    }
    composed.send(.go)
    await onThread { [entered, leave] in
      entered.waitInTime()
      composed.send(.stop)
      leave.signal()
    }
    try await reaches(composed) { $0.log.count == 2 }
    #expect(composed.state.log == ["number(1)", "other"])
    #expect(calls.events == ["begin", "end", "begin", "end"])
  }

  @Test func `operators behind a run receive the elements of two threads one after the other`()
    async throws
  {
    let started = DispatchSemaphore(value: 0)
    let kept = EventRecorder<AnyObserver<Effect<ClosureComposer.Action>>>()
    let composed = composed {
      mapped(
        .run { effect in
          kept.append(effect)
          started.signal()
          try await EffectContext.sleep(.seconds(600))
        })
    }
    composed.send(.go)
    await onThread { [entered, leave] in
      started.waitInTime()
      let observer = kept.events[0]
      Thread.detachNewThread { observer.onNext(.send(.number(1))) }
      entered.waitInTime()
      observer.onNext(.send(.number(2)))
      leave.signal()
    }
    try await reaches(composed) { $0.log.count == 2 }
    #expect(composed.state.log == ["number(1)", "number(2)"])
    #expect(calls.events == ["begin", "end", "begin", "end"])
    composed.send(.tick)
  }

  @Test func `the tasks of a group may send through every operator of effects`() async throws {
    let operators: [@Sendable (Work) -> Work] = [
      { $0.retry(.fixed(.zero, maxAttempts: 2)) }, { .race($0, .run(.never())) },
      { $0.latest(id: 1) }, { $0.throttle(id: 1, for: .seconds(1)) },
      { .poll($0, every: .seconds(600)) }, { .concatenate($0, .send(.other)) },
      { .timer($0, period: .seconds(600)) }, { $0.catch { _ in .none } },
    ]
    for apply in operators {
      let composed = composed {
        apply(
          .run { effect in
            await withTaskGroup(of: Void.self) { group in
              for number in 2..<6 {
                group.addTask { for _ in 0..<25 { effect.onNext(.send(.number(number))) } }
              }
            }
          })
      }
      composed.send(.go)
      try await reaches(composed) { $0.log.count >= 100 }
      composed.send(.tick)
    }
  }
}
