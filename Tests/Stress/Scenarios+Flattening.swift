import Reactive

extension Scenario {
  static let flattening = [
    flattening("flatMap") { outer, inner in outer.flatMap { _ in inner } },
    flattening("flatMapLatest") { outer, inner in outer.flatMapLatest { _ in inner } },
    flattening("concatMap") { outer, inner in outer.concatMap { _ in inner } },
    Scenario("retry: the source fails on one thread while another disposes") {
      let subject = PublishSubject<Token>()
      let failing = subject.map { token in
        guard token.number % 3 != 2 else { throw RxError.noElements }
        return token
      }
      let probe = Probe(allowsOverlap: true)
      let subscription = failing.retry().probed(by: probe)
      return Round([
        { send(20, to: subject) },
        { for _ in 0..<5 { failing.retry(3).probed(by: Probe(allowsOverlap: true)).dispose() } },
        { subscription.dispose() },
      ]) { subject.hasObservers ? "observers are left" : nil }
    },
  ]

  /// One thread sends to the outer source, one to the inner one, and both complete; a third disposes.
  private static func flattening(
    _ name: String,
    _ flatten: @escaping @Sendable (Observable<Token>, Observable<Token>) -> Observable<Token>
  ) -> Scenario {
    Scenario("\(name): outer and inner source on a thread each, while observers come and go") {
      let (outer, inner) = (PublishSubject<Token>(), PublishSubject<Token>())
      let flat = flatten(outer.asObservable(), inner.asObservable())
      let probe = Probe()
      let staying = flat.map { Token($0.number, from: 1) }.probed(by: probe)
      return Round([
        {
          send(10, to: outer)
          outer.onCompleted()
        },
        {
          send(10, to: inner)
          inner.onCompleted()
        },
        { for _ in 0..<5 { flat.probedAsAny(by: Probe()).dispose() } },
      ]) {
        staying.dispose()
        return probe.problem ?? probe.ends.isNot(1, "ends")
          ?? (outer.hasObservers || inner.hasObservers ? "observers are left" : nil)
      }
    }
  }
}
