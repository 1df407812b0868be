import Reactive

extension Scenario {
  static let combining = [
    pair("merge", elements: 40) { Observable.merge($0, $1) },
    pair("combineLatest") {
      Observable.combineLatest($0, $1) { Token(0, from: $0.sender + $1.sender + 1) }
    },
    pair("zip", elements: 20) { Observable.zip($0, $1) { first, _ in Token(first.number) } },
    pair("withLatestFrom") { $0.withLatestFrom($1) { first, _ in first } },
    pair("amb") { $0.amb($1) },
    Scenario("take(until:): elements, the other's element and disposal at once") {
      let (source, other) = (PublishSubject<Token>(), PublishSubject<Void>())
      let probe = Probe()
      let subscription = source.take(until: other).probed(by: probe)
      return Round([
        { send(20, to: source) }, { other.onNext(()) },
        { for _ in 0..<3 { source.take(until: other).probed(by: Probe()).dispose() } },
      ]) {
        subscription.dispose()
        return probe.problem ?? probe.ends.isNot(1, "ends")
      }
    },
  ]

  /// Two threads send to one source each and complete it, while a third subscribes and disposes.
  static func pair(
    _ name: String, elements: Int? = nil,
    _ combine: @escaping @Sendable (Observable<Token>, Observable<Token>) -> Observable<Token>
  ) -> Scenario {
    Scenario("\(name): each source on a thread of its own, while observers come and go") {
      let (first, second) = (PublishSubject<Token>(), PublishSubject<Token>())
      let combined = combine(first.asObservable(), second.asObservable())
      let probe = Probe()
      let staying = combined.map { Token($0.number, from: 1) }.probed(by: probe)
      return Round([
        { sendAndComplete(20, to: first) }, { sendAndComplete(20, from: 1, to: second) },
        { for _ in 0..<5 { combined.probedAsAny(by: Probe()).dispose() } },
      ]) {
        staying.dispose()
        return probe.problem ?? probe.ends.isNot(1, "ends")
          ?? elements.flatMap { probe.count.isNot($0, "elements") }
          ?? (first.hasObservers || second.hasObservers ? "observers are left" : nil)
      }
    }
  }
}
