import Reactive

extension Scenario {
  static let subjects = [
    Scenario("a subject: two threads send, two subscribe and dispose") {
      let subject = PublishSubject<Token>()
      let probe = Probe(allowsOverlap: true)
      let staying = subject.probed(by: probe)
      let come: @Sendable () -> Void = {
        for _ in 0..<20 { subject.probed(by: Probe(allowsOverlap: true)).dispose() }
      }
      return Round([
        { send(20, to: subject) }, { send(20, from: 1, to: subject) }, come, come,
      ]) {
        staying.dispose()
        return probe.count.isNot(40, "elements")
          ?? (subject.hasObservers ? "observers are left" : nil)
      }
    },
    Scenario("a subject: it ends on two threads while observers come") {
      let subject = PublishSubject<Token>()
      let probes = (0..<10).map { _ in Probe(allowsOverlap: true) }
      return Round([
        { subject.onCompleted() }, { subject.onError(RxError.noElements) },
        { for probe in probes { _ = subject.probed(by: probe) } },
      ]) { probes.lazy.compactMap { $0.ends.isNot(1, "ends") }.first }
    },
    Scenario("a subject: its last owner goes while an observer comes") {
      let subject = PublishSubject<Token>()
      // The closure does not retain the subject.
      let (owner, stream) = (Owner(subject), subject.map { $0 })
      return Round([
        { owner.release() }, { _ = stream.map { $0 }.probed(by: Probe()) },
        { _ = stream.probed(by: Probe()) },
      ]) { withExtendedLifetime(stream) { nil } }
    },
    Scenario("a subject: it is disposed of while an observer comes and an element is sent") {
      let subject = BehaviorSubject(value: Token(0))
      return Round([
        { subject.dispose() }, { _ = subject.map { $0 }.probed(by: Probe()) },
        { send(3, to: subject) },
      ]) { withExtendedLifetime(subject) { subject.hasObservers ? "observers are left" : nil } }
    },
    Scenario("a behavior subject: observers come while one thread sends") {
      let subject = BehaviorSubject(value: Token(0))
      let probes = (0..<10).map { _ in Probe() }
      return Round([
        {
          for number in 1..<20 { subject.onNext(Token(number)) }
          subject.onCompleted()
        },
        { for probe in probes { _ = subject.probed(by: probe) } },
      ]) { probes.lazy.compactMap { $0.problem ?? $0.ends.isNot(1, "ends") }.first }
    },
    Scenario("a replay subject: observers come while one thread sends") {
      let subject = ReplaySubject<Token>.create(bufferSize: 3)
      let probes = (0..<10).map { _ in Probe() }
      return Round([
        { sendAndComplete(20, to: subject) },
        { for probe in probes { _ = subject.probed(by: probe) } },
      ]) { probes.lazy.compactMap { $0.problem ?? $0.ends.isNot(1, "ends") }.first }
    },
    Scenario("a serialized subject: three threads send, one ends it") {
      let subject = PublishSubject<Token>().serialized()
      let probe = Probe()
      _ = subject.asObservable().map { Token($0.number, from: 1) }.probed(by: probe)
      return Round([
        { for number in 0..<20 { subject.onNext(Token(number)) } },
        { for number in 0..<20 { subject.onNext(Token(number)) } },
        {
          for number in 0..<10 { subject.onNext(Token(number)) }
          subject.onCompleted()
        },
      ]) { probe.problem ?? probe.ends.isNot(1, "ends") }
    },
    Scenario("create: two threads end it while a third sends and a fourth disposes") {
      let source = PublishSubject<Token>()
      let probe = Probe(allowsOverlap: true)
      let subscription = Observable<Token>.create { observer in
        source.subscribe(observer)
      }.probed(by: probe)
      return Round([
        { source.onCompleted() }, { source.onError(RxError.noElements) },
        { send(10, to: source) }, { subscription.dispose() },
      ]) { probe.ends > 1 ? "\(probe.ends) ends" : nil }
    },
  ]
}

/// Owns an object until it is released.
private final class Owner<Value: AnyObject & Sendable>: Sendable {
  private let held: Locked<Value?>

  init(_ value: Value) { held = Locked(value) }

  func release() {
    let last = held.replace(with: nil)
    withExtendedLifetime(last) {}
  }
}
