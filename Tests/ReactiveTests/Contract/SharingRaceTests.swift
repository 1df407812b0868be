import Reactive
import ReactiveTesting
import Synchronization
import TestSupport
import Testing

/// Sharing, and replaying, when observers come and go on several threads.
@Suite("Sharing between threads", .workerPool)
struct SharingRaceTests {
  struct Sharing: Sendable, CustomTestStringConvertible {
    let replay: Int
    let scope: SubjectLifetimeScope
    var testDescription: String { "share(replay: \(replay), scope: \(scope))" }
  }

  static let sharings = [0, 1, 2].flatMap { replay in
    [SubjectLifetimeScope.whileConnected, .forever].map { Sharing(replay: replay, scope: $0) }
  }

  private static let rounds = 500

  @Test(arguments: sharings)
  func `observers that come first at once make one connection`(sharing: Sharing) {
    for _ in 0..<Self.rounds {
      let connections = Atomic(0)
      let subject = PublishSubject<Int>()
      let shared = subject.do(onSubscribe: { connections.add(1, ordering: .relaxed) })
        .share(replay: sharing.replay, scope: sharing.scope)
      let heard = Atomic(0)
      let bag = DisposeBag()
      onThreads(2, within: 20) { _ in
        shared.subscribe(onNext: { _ in heard.add(1, ordering: .relaxed) }).disposed(by: bag)
      }
      #expect(connections.load(ordering: .relaxed) == 1)
      subject.onNext(1)
      #expect(heard.load(ordering: .relaxed) == 2)
    }
  }

  @Test(arguments: sharings)
  func `the last observer leaves while a first one comes`(sharing: Sharing) {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: sharing.replay, scope: sharing.scope)
    onThreads(2, within: 20) { _ in
      for _ in 0..<Self.rounds * 2 { shared.subscribe().dispose() }
    }
    #expect(!subject.hasObservers)
    let log = Log<String>()
    let subscription = shared.write(to: log)
    subject.onNext(1)
    #expect(log.entries == ["1"])
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test(arguments: sharings)
  func `observers come while elements are sent`(sharing: Sharing) {
    let subject = PublishSubject<Int>()
    let shared = subject.share(replay: sharing.replay, scope: sharing.scope)
    onThreads(2, within: 20) { index in
      for element in 0..<Self.rounds * 2 {
        if index == 0 {
          subject.onNext(element)
        } else {
          let log = Log<Int>()
          let subscription = shared.subscribe(onNext: { log.append($0) })
          subscription.dispose()
          // In order, each once.
          let heard = log.entries
          #expect(heard == heard.sorted() && Set(heard).count == heard.count)
        }
      }
    }
    #expect(!subject.hasObservers)
  }

  @Test(arguments: sharings)
  func `every observer hears the end of a source that ends at once`(sharing: Sharing) {
    for _ in 0..<Self.rounds {
      let shared = Observable<Int>.create { observer in
        observer.onNext(1)
        observer.onCompleted()
        return Disposables.create()
      }
      .share(replay: sharing.replay, scope: sharing.scope)
      let ends = Atomic(0)
      onThreads(2, within: 20) { _ in
        _ = shared.subscribe(onCompleted: { ends.add(1, ordering: .relaxed) })
      }
      #expect(ends.load(ordering: .relaxed) == 2)
    }
  }

  @Test(arguments: sharings)
  func `observers of a source that emits at once come and go`(sharing: Sharing) {
    let shared = Observable<Int>.create { observer in
      for element in 1...3 { observer.onNext(element) }
      return Disposables.create()
    }
    .share(replay: sharing.replay, scope: sharing.scope)
    onThreads(2, within: 20) { _ in
      for _ in 0..<Self.rounds {
        let log = Log<Int>()
        shared.subscribe(onNext: { log.append($0) }).dispose()
        let received = log.entries
        // The kept elements of a previous connection come before 1.
        let isInOrder = zip(received, received.dropFirst()).allSatisfy { $0 + 1 == $1 || $1 == 1 }
        #expect(isInOrder, "received \(received)")
      }
    }
  }

  @Test(arguments: sharings)
  func `shared, taken from and zipped, while it is sent to`(sharing: Sharing) {
    for _ in 0..<Self.rounds / 2 {
      let subject = PublishSubject<Int>()
      let shared = subject.share(replay: sharing.replay, scope: sharing.scope)
      let zipped = Observable.zip(shared.take(1), shared.take(1)).map { $0 + $1 }
      let ended = Atomic(false)
      let bag = DisposeBag()
      onThreads(2, within: 20) { index in
        if index == 0 {
          for element in 0..<5 { subject.onNext(element) }
        } else {
          zipped.subscribe(onCompleted: { ended.store(true, ordering: .relaxed) }).disposed(by: bag)
        }
      }
      // Either half may have missed all that was sent.
      for element in 5..<7 { subject.onNext(element) }
      #expect(ended.load(ordering: .relaxed) == true)
      #expect(!subject.hasObservers)
    }
  }

  // Subjects that replay with a lock held would wait for each other.
  @Test func `behavior subjects that are asked, and sent to, while they replay`() {
    // What is sent is how deep it is inside of other sends: a thread's stack has an end.
    let subjects = [BehaviorSubject(value: 0), BehaviorSubject(value: 0)]
    let budget = Atomic(10_000)
    onThreads(2, within: 20) { index in
      let (mine, other) = (subjects[index], subjects[1 - index])
      for _ in 0..<Self.rounds {
        mine.onNext(0)
        mine.subscribe(onNext: { depth in
          if depth >= 50 || budget.subtract(1, ordering: .relaxed).newValue < 0 { return }
          _ = try? other.value()
          other.take(1).subscribe().dispose()
          other.onNext(depth + 1)
        })
        .dispose()
      }
    }
  }

  @Test func `a subject that two threads send to stays whole`() {
    let (publish, replay) = (PublishSubject<Int>(), ReplaySubject<Int>.create(bufferSize: 3))
    let behavior = BehaviorSubject(value: 0)
    let relays = (PublishRelay<Int>(), BehaviorRelay(value: 0))
    let heard = (0..<5).map { _ in Locked(0) }
    let bag = DisposeBag()
    let sources: [Observable<Int>] = [
      publish, replay, behavior.skip(1), relays.0.asObservable(), relays.1.skip(1),
    ]
    for (source, heard) in zip(sources, heard) {
      source.subscribe(onNext: { _ in heard.withLock { $0 += 1 } }).disposed(by: bag)
    }
    onThreads(3, within: 20) { index in
      for element in 0..<1_000 {
        // The third thread comes and goes.
        if index == 2 {
          for source in sources { source.subscribe().dispose() }
          continue
        }
        publish.onNext(element)
        replay.onNext(element)
        behavior.onNext(element)
        relays.0.accept(element)
        relays.1.accept(element)
      }
    }
    #expect(heard.map { $0.withLock { $0 } } == [2_000, 2_000, 2_000, 2_000, 2_000])
    publish.onCompleted()
    #expect(publish.written() == "|")
  }
}
