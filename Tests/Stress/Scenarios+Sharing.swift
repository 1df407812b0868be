import Reactive
import Synchronization

extension Scenario {
  static let sharing = [
    sharing("share()", replay: 0, .whileConnected),
    sharing("share(replay: 1)", replay: 1, .whileConnected),
    sharing("share(replay: 1, scope: .forever)", replay: 1, .forever),
    Scenario("share(replay: 1): its source ends while observers come and go") {
      let subject = PublishSubject<Token>()
      let shared = subject.share(replay: 1)
      let probes = (0..<5).map { _ in Probe() }
      return Round([
        { sendAndComplete(10, to: subject) },
        { for probe in probes { _ = shared.probed(by: probe) } },
        { for _ in 0..<5 { shared.probed(by: Probe()).dispose() } },
      ]) { probes.lazy.compactMap { $0.problem ?? $0.ends.isNot(1, "ends") }.first }
    },
  ]

  private static func sharing(
    _ name: String, replay: Int, _ scope: SubjectLifetimeScope
  ) -> Scenario {
    Scenario("\(name): observers come and go on two threads while one sends") {
      let (source, subject) = (Source(), PublishSubject<Token>())
      let shared = source.observable(of: subject).share(replay: replay, scope: scope)
      let probes = (0..<10).map { _ in Probe() }
      let come: @Sendable (ArraySlice<Probe>) -> Void = { probes in
        for probe in probes { shared.probed(by: probe).dispose() }
      }
      return Round([
        { send(20, to: subject) }, { come(probes[..<5]) }, { come(probes[5...]) },
      ]) {
        probes.lazy.compactMap(\.problem).first
          ?? (source.most > 1 ? "\(source.most) subscriptions at once" : nil)
          ?? source.current.isNot(0, "subscriptions for no observer")
      }
    }
  }
}

/// A source that counts its subscriptions.
private final class Source: Counted, @unchecked Sendable {
  // Everything is atomic.
  private let now = Atomic(0)
  private let mostAtOnce = Atomic(0)

  var most: Int { mostAtOnce.load(ordering: .acquiring) }
  var current: Int { now.load(ordering: .acquiring) }

  /// Emits the elements of `subject`.
  func observable(of subject: PublishSubject<Token>) -> Observable<Token> {
    Observable.create { [self] observer in
      mostAtOnce.max(now.add(1, ordering: .acquiringAndReleasing).newValue, ordering: .relaxed)
      let subscription = subject.subscribe(observer)
      return Disposables.create {
        subscription.dispose()
        self.now.subtract(1, ordering: .acquiringAndReleasing)
      }
    }
  }
}
