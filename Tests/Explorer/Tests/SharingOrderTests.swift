import TestSupport
import Testing

@testable import ExploredReactive

extension Orders {
  @Suite("Thread orders of replay and share", .workerPool)
  struct SharingOrderTests {
    @Test(arguments: [1, 2])
    func `in every thread order, a replay delivers each element once and in order`(capacity: Int) {
      let result = Explorer.explore(preemptions: 3) {
        let replayingHub = ReplayingHub<Int>(capacity: capacity)
        replayingHub.next(1)
        let probe = ObserverProbe()
        return Explorer.Scenario([
          {
            replayingHub.next(2)
            replayingHub.next(3)
          }, { replayingHub.add(probe.observer(Lifetime()), replaysAfterEnd: true) },
        ]) {
          let received = probe.received
          // All elements from the first received one on.
          return received.last == 3 && received == Array((received.first ?? 0)...3)
            ? nil : "received \(received)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `in every thread order, a replay delivers the end after the stored elements`() {
      let result = Explorer.explore(preemptions: 3) {
        let replayingHub = ReplayingHub<Int>(capacity: 1)
        replayingHub.next(1)
        let probe = ObserverProbe()
        return Explorer.Scenario([
          { replayingHub.hub.end(nil) },
          { replayingHub.add(probe.observer(Lifetime()), replaysAfterEnd: true) },
        ]) {
          probe.received == [1] && probe.ends == 1 ? nil : "\(probe.received), \(probe.ends) ends"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 10)
    }

    /// A source that counts its subscriptions and emits nothing.
    private final class Counted {
      private(set) var now = 0
      private(set) var most = 0
      private(set) var end: (() -> Void)?

      var observable: Observable<Int> {
        Observable(.direct) { [unowned self] down in
          now += 1
          most = max(most, now)
          end = { down.end(nil) }
          down.lifetime.add(
            ActionDisposable {
              // A step, at which another thread can continue.
              _ = down.lifetime.isClosed
              self.now -= 1
            })
        }
      }
    }

    private static func resubscription(_ scope: SubjectLifetimeScope) -> Explorer.Scenario {
      let source = Counted()
      let shared = source.observable.share(replay: 1, scope: scope)
      let first = shared.subscribe()
      var second: (any Disposable)?
      return Explorer.Scenario([{ first.dispose() }, { second = shared.subscribe() }]) {
        if source.most != 1 { return "\(source.most) subscriptions at a time" }
        if source.now != 1 { return "\(source.now) subscriptions for one observer" }
        second?.dispose()
        return source.now == 0 ? nil : "\(source.now) subscriptions without observers"
      }
    }

    @Test func `the explorer finds overlapping connections of share`() {
      let result = PlantedFault.overlappingConnections.planted {
        Explorer.explore(preemptions: 2) { Self.resubscription(.whileConnected) }
      }
      #expect(result.failure?.hasPrefix("2 subscriptions at a time") == true)
    }

    @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
    func `in every thread order, share has one subscription at a time`(
      scope: SubjectLifetimeScope
    ) {
      let result = Explorer.explore(preemptions: 2) { Self.resubscription(scope) }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test(arguments: SubscriptionAfterEnd.allCases)
    func `in every thread order, share waits until an operator before it has disposed of an end`(
      ending: SubscriptionAfterEnd
    ) {
      let result = Explorer.explore(preemptions: 2) {
        let source = Counted()
        let shared = ending.apply(source.observable).share()
        let first = shared.subscribe()
        var second: (any Disposable)?
        return Explorer.Scenario([
          { source.end?() },
          {
            first.dispose()
            second = shared.subscribe()
          },
        ]) {
          if source.most != 1 { return "\(source.most) subscriptions at a time" }
          second?.dispose()
          return source.now == 0 ? nil : "\(source.now) subscriptions without observers"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    /// Operators that subscribe to something else when their source has ended.
    enum SubscriptionAfterEnd: CaseIterable {
      case concat, flatMap, ifEmpty, merge, nested

      func apply(_ source: Observable<Int>) -> Observable<Int> {
        switch self {
        case .concat: source.concat(Observable.never())
        case .flatMap: Observable.just(0).concat(Observable.never()).flatMap { _ in source }
        case .ifEmpty: source.ifEmpty(switchTo: .never())
        case .merge: .merge(source, .never())
        case .nested: .merge(source.concat(Observable.never()), .never())
        }
      }
    }

    @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
    func `in every thread order, share does not subscribe while another thread subscribes`(
      scope: SubjectLifetimeScope
    ) {
      let result = Explorer.explore(preemptions: 2) {
        var (now, most) = (0, 0)
        let source = Observable<Int>(.direct) { down in
          now += 1
          most = max(most, now)
          // A step, at which another thread can continue.
          _ = down.lifetime.isClosed
          down.lifetime.add(ActionDisposable { now -= 1 })
        }
        let shared = source.share(replay: 1, scope: scope)
        let (first, second) = (Lifetime(), Lifetime())
        let probe = ObserverProbe()
        return Explorer.Scenario([
          { shared.start(probe.observer(first)) },
          { first.dispose() },
          { shared.start(probe.observer(second)) },
        ]) {
          if most != 1 { return "\(most) subscriptions at a time" }
          if now != 1 { return "\(now) subscriptions for one observer" }
          second.dispose()
          return now == 0 ? nil : "\(now) subscriptions without observers"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    private static func resending(_ scope: SubjectLifetimeScope) -> Explorer.Scenario {
      var senders: [Observer<Int>] = []
      let source = Observable<Int>(.direct) { senders.append($0) }
      let shared = source.share(replay: 1, scope: scope)
      let first = shared.subscribe()
      let probe = ObserverProbe()
      func send(_ index: Int) {
        if index < senders.count, !senders[index].lifetime.isDisposed { senders[index].next(index) }
      }
      return Explorer.Scenario([
        { send(0) },
        {
          first.dispose()
          shared.start(probe.observer(Lifetime()))
          send(1)
        },
      ]) {
        if probe.most > 1 { return "two elements at once" }
        return probe.received.last == 1 ? nil : "received \(probe.received)"
      }
    }

    @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
    func `in every thread order, share delivers elements of two connections one at a time`(
      scope: SubjectLifetimeScope
    ) {
      let result = Explorer.explore(preemptions: 3) { Self.resending(scope) }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `the explorer finds overlapping elements of share`() {
      let result = PlantedFault.overlappingElements.planted {
        Explorer.explore(preemptions: 3) { Self.resending(.forever) }
      }
      #expect(result.failure?.contains("received [1, 0]") == true)
    }

    @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
    func `in every thread order, share has no subscription after all observers were disposed of`(
      scope: SubjectLifetimeScope
    ) {
      let result = Explorer.explore(preemptions: 1) {
        let source = Counted()
        let shared = source.observable.share(replay: 0, scope: scope)
        let first = shared.subscribe()
        return Explorer.Scenario([
          { first.dispose() }, { shared.subscribe().dispose() }, { shared.subscribe().dispose() },
        ]) {
          if source.most != 1 { return "\(source.most) subscriptions at a time" }
          return source.now == 0 ? nil : "\(source.now) subscriptions without observers"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test(arguments: [SubjectLifetimeScope.whileConnected, .forever])
    func `an observer of a new connection receives all that the source emits at once`(
      scope: SubjectLifetimeScope
    ) {
      let result = Explorer.explore(preemptions: 2) {
        var subscriptions = 0
        let source = Observable<Int>(.direct) { down in
          subscriptions += 1
          for element in 1...3 where !down.lifetime.isDisposed { down.next(element) }
        }
        let shared = source.share(replay: 0, scope: scope)
        let first = shared.subscribe()
        let watch = ObserverProbe()
        return Explorer.Scenario([
          { first.dispose() }, { shared.start(watch.observer(Lifetime())) },
        ]) {
          // With one subscription the observer has joined the connection of the first one.
          let expected = subscriptions == 2 ? [1, 2, 3] : []
          return watch.received == expected ? nil : "received \(watch.received)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `an observer that joins a connection that another has left misses nothing`() {
      let result = Explorer.explore(preemptions: 2) {
        var emissions = 0
        let source = Observable<Int>(.direct) { down in
          emissions += 1
          for element in 1...3 where !down.lifetime.isDisposed { down.next(element) }
        }
        let shared = source.share()
        let first = shared.subscribe()
        let probe = ObserverProbe()
        var before = 0
        return Explorer.Scenario([
          { first.dispose() },
          {
            shared.subscribe().dispose()
            before = emissions
            shared.start(probe.observer(Lifetime()))
          },
        ]) {
          // Without a new subscription the observer has joined one that had begun before.
          let isAll = probe.received == [1, 2, 3]
          let isRest =
            emissions == before && probe.received == [1, 2, 3].suffix(probe.received.count)
          return isAll || isRest ? nil : "received \(probe.received)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }

    @Test func `an observer that replays while a thread sends receives each event once, in order`()
    {
      let result = Explorer.explore(preemptions: 3) {
        let replayingHub = ReplayingHub<Int>(capacity: 1)
        replayingHub.next(1)
        let watch = ObserverProbe()
        return Explorer.Scenario([
          {
            for element in 2...5 { replayingHub.next(element) }
            replayingHub.hub.end(nil)
          }, { replayingHub.add(watch.observer(Lifetime()), replaysAfterEnd: true) },
        ]) {
          if watch.most > 1 { return "two elements at once" }
          if watch.ends != 1 { return "\(watch.ends) ends" }
          let heard = watch.received
          return heard == Array((heard.first ?? 0)...5) ? nil : "received \(heard)"
        }
      }
      #expect(result.failure == nil)
      #expect(result.runs > 100)
    }
  }
}
