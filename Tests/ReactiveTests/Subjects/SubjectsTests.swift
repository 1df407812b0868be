import Reactive
import Synchronization
import Testing

@Suite struct PublishSubjectTests {
  @Test func `late subscribers hear what follows`() {
    let subject = PublishSubject<Int>()
    let log = Log<String>()
    subject.onNext(1)
    let subscription = subject.write(to: log)
    subject.on(.next(2))
    subject.asObserver().onNext(3)
    #expect(log.entries == ["2", "3"])
    #expect(subject.hasObservers)
    subscription.dispose()
    #expect(!subject.hasObservers)
  }

  @Test func `late subscribers hear the error`() {
    let subject = PublishSubject<Int>()
    subject.onError(TestError.any)
    #expect(subject.written() == "x")
  }

  @Test func `two subjects that send into each other from two threads do not deadlock`() {
    let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
    let count = Atomic(0)
    let bag = DisposeBag()
    a.subscribe(onNext: { if $0 > 0 { b.onNext($0 - 1) } else { count.add(1, ordering: .relaxed) } }
    )
    .disposed(by: bag)
    b.subscribe(onNext: { if $0 > 0 { a.onNext($0 - 1) } else { count.add(1, ordering: .relaxed) } }
    )
    .disposed(by: bag)
    onThreads(2) { index in
      for _ in 0..<5_000 { (index == 0 ? a : b).onNext(3) }
    }
    #expect(count.load(ordering: .relaxed) == 10_000)
  }
}

@Suite struct BehaviorSubjectTests {
  @Test func `new observers hear the latest first`() throws {
    let subject = BehaviorSubject(value: 0)
    #expect(try subject.value() == 0)
    let log = Log<String>()
    let bag = DisposeBag()
    subject.write(to: log, "a").disposed(by: bag)
    subject.onNext(1)
    subject.write(to: log, "b").disposed(by: bag)
    subject.onCompleted()
    subject.write(to: log, "c").disposed(by: bag)
    subject.onNext(2)
    #expect(log.entries == ["a0", "a1", "b1", "a|", "b|", "c|"])
    #expect(try subject.value() == 1)
  }

  @Test func `its value throws the error it ended with`() {
    let subject = BehaviorSubject(value: 0)
    subject.onError(TestError.any)
    #expect(throws: TestError.any) { try subject.value() }
    #expect(subject.written() == "x")
  }

  @Test func `disposed, its value throws and newcomers are told`() {
    let subject = BehaviorSubject(value: 0)
    let log = Log<String>()
    _ = subject.write(to: log)
    subject.dispose()
    subject.onNext(1)
    #expect(throws: RxError.self) { try subject.value() }
    #expect(subject.isDisposed)
    #expect(subject.written() == "x")
    #expect(log.entries == ["0"])
  }

  @Test func `two that feed each other from two threads do not deadlock`() {
    let (a, b) = (BehaviorSubject(value: 0), BehaviorSubject(value: 0))
    onThreads(2) { index in
      let (mine, other) = index == 0 ? (a, b) : (b, a)
      for element in 0..<2_000 {
        _ = mine.take(1).subscribe(onNext: { _ in other.onNext(element) })
      }
    }
    #expect(!a.hasObservers && !b.hasObservers)
  }
}

@Suite struct ReplaySubjectTests {
  @Test func `replays also after the end`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 2)
    for element in 1...3 { subject.onNext(element) }
    subject.onCompleted()
    subject.onNext(4)
    #expect(subject.written() == "2 3 |")
    #expect(subject.written() == "2 3 |")
  }

  @Test func `a size of zero replays the end only`() {
    let subject = ReplaySubject<Int>.create(bufferSize: 0)
    subject.onNext(1)
    #expect(subject.written() == "")
    subject.onError(TestError.any)
    #expect(subject.written() == "x")
  }

  @Test func `unbounded, it replays everything`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    for element in 0..<1_000 { subject.onNext(element) }
    let log = Log<Int>()
    subject.subscribe(onNext: { log.append($0) }).dispose()
    #expect(log.entries == Array(0..<1_000))
  }

  @Test func `disposed, it forgets`() {
    let subject = ReplaySubject<Int>.createUnbounded()
    subject.onNext(1)
    subject.dispose()
    #expect(subject.written() == "x")
  }
}

@Suite struct AsyncSubjectTests {
  @Test func `observers hear the last element when it completes, late ones too`() {
    let subject = AsyncSubject<Int>()
    let log = Log<String>()
    let bag = DisposeBag()
    subject.write(to: log, "a").disposed(by: bag)
    subject.onNext(1)
    subject.on(.next(2))
    subject.write(to: log, "b").disposed(by: bag)
    #expect(log.entries.isEmpty && subject.hasObservers)
    subject.onCompleted()
    subject.onNext(3)
    subject.onCompleted()
    #expect(log.entries == ["a2", "b2", "a|", "b|"])
    #expect(subject.written() == "2 |")
    #expect(!subject.hasObservers)
  }

  @Test func `without an element it only ends`() {
    let subject = AsyncSubject<Int>()
    subject.asObserver().onCompleted()
    #expect(subject.written() == "|")
  }

  @Test func `an error drops the element`() {
    let subject = AsyncSubject<Token>()
    #expect(
      isReleased { token in
        subject.onNext(token)
        subject.onError(TestError.any)
        subject.onNext(token)
      }
    )
    #expect(subject.map { _ in 1 }.written() == "x")
  }

  @Test func `disposed, it tells nothing and lets go of the element`() {
    let subject = AsyncSubject<Token>()
    let log = Log<String>()
    _ = subject.map { _ in 1 }.write(to: log)
    #expect(
      isReleased { token in
        subject.onNext(token)
        subject.dispose()
        subject.onNext(token)
        subject.onCompleted()
      }
    )
    #expect(log.entries.isEmpty && subject.isDisposed)
    #expect(subject.map { _ in 1 }.written() == "x")
  }
}

@Suite struct DisposedSubjectTests {
  private func disposedObject(_ subject: some ObservableType) -> AnyObject? {
    let object = Locked<AnyObject?>(nil)
    _ = subject.subscribe(onError: { error in
      if case RxError.disposed(let disposed) = error { object.withLock { $0 = disposed } }
    })
    return object.withLock { $0 }
  }

  @Test func `the error names the subject, which nothing keeps`() {
    weak var released: PublishSubject<Int>?
    do {
      let (subject, behavior) = (PublishSubject<Int>(), BehaviorSubject(value: 1))
      released = subject
      subject.dispose()
      behavior.dispose()
      #expect(disposedObject(subject) === subject)
      #expect(disposedObject(behavior) === behavior)
    }
    #expect(released == nil)
  }
}
