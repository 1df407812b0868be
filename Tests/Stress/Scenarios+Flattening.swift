import Reactive

extension Scenario {
  static let flattening = [
    pair("flatMap") { outer, inner in outer.flatMap { _ in inner } },
    pair("flatMapLatest") { outer, inner in outer.flatMapLatest { _ in inner } },
    pair("concatMap") { outer, inner in outer.concatMap { _ in inner } },
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
}
