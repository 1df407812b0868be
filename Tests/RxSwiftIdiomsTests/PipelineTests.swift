import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

// Chains of operators in apps.

struct Form: Equatable {
  var name: String
  var email: String
  var age: Int
}

struct User: Codable, Equatable {
  var id: Int
  var name: String
}

private func isPositive(_ number: Int) -> Bool { number > 0 }

private func load(_ id: Int, completion: @escaping (Result<User, any Error>) -> Void) {
  completion(id > 0 ? .success(User(id: id, name: "Ada")) : .failure(AppError.offline))
}

private func user(_ id: Int) -> Single<User> {
  .create { single in
    load(id) { result in
      switch result {
      case .success(let user): single(.success(user))
      case .failure(let error): single(.failure(error))
      }
    }
    return Disposables.create()
  }
}

@Suite(.workerPool) struct PipelineTests {
  private func elements<Source: ObservableConvertibleType>(of source: Source) throws
    -> [Source.Element]
  { try source.asObservable().toBlocking().toArray() }

  @Test func `operators accept functions as closures`() throws {
    #expect(try elements(of: Observable.of(1, 2).map(String.init)) == ["1", "2"])
    #expect(try elements(of: Observable.of("1", "x").compactMap(Int.init)) == [1])
    #expect(
      try elements(
        of: Observable.zip(Observable.of(1, 4), Observable.of(3, 2), resultSelector: max))
        == [3, 4])
    #expect(try elements(of: Observable.of(1, -1).filter(isPositive)) == [1])
  }

  @Test func `scan and reduce accumulate elements`() throws {
    #expect(try elements(of: Observable.of(1, 2, 3).scan(0) { $0 + $1 }) == [1, 3, 6])
    #expect(try elements(of: Observable.of(1, 2, 3).reduce(1) { $0 * $1 }) == [6])
    #expect(
      try elements(of: Observable.of(1, 2).scan(into: []) { $0.append($1) }) == [[1], [1, 2]])
    #expect(try elements(of: Observable.of([2, 1]).map { $0.sorted(by: <) }) == [[1, 2]])
    #expect(
      try elements(of: Observable.of("a", "A").distinctUntilChanged { $0.lowercased() }) == ["a"])
  }

  @Test func `operators accept key paths as functions`() throws {
    let users = Observable.of(User(id: 1, name: "Ada"), User(id: 2, name: ""))
    #expect(try elements(of: users.map(\.name)) == ["Ada", ""])
    #expect(try elements(of: users.map(\.name).filter { !$0.isEmpty }) == ["Ada"])
    #expect(try elements(of: users.map(\.name).filter(\.isEmpty)) == [""])
    #expect(try elements(of: users.distinctUntilChanged(at: \.id).map(\.id)) == [1, 2])
    #expect(try elements(of: users.compactMap(\.name.first)) == ["A"])
  }

  @Test func `combineLatest of three to five sources makes tuples and structs`() throws {
    let (name, email) = (BehaviorRelay(value: "Ada"), BehaviorRelay(value: "ada@example.com"))
    let age = BehaviorRelay(value: 36)
    let form = Observable.combineLatest(name, email, age) { Form(name: $0, email: $1, age: $2) }
    #expect(
      try elements(of: form.take(1)) == [Form(name: "Ada", email: "ada@example.com", age: 36)])
    let made = Observable.combineLatest(name, email, age, resultSelector: Form.init)
    #expect(try elements(of: made.map(\.age).take(1)) == [36])
    let isValid = Observable.combineLatest(
      name.map { !$0.isEmpty }, email.map { $0.contains("@") }, age.map { $0 > 18 }
    ) { $0 && $1 && $2 }
    #expect(try elements(of: isValid.take(1)) == [true])
    let five = Observable.combineLatest(name, email, age, isValid, Observable.just("x"))
      .map { name, _, age, isValid, letter in "\(name) \(age) \(isValid) \(letter)" }
    #expect(try elements(of: five.take(1)) == ["Ada 36 true x"])
    let first = Observable.combineLatest(name, age).map { $0.0 }
    #expect(try elements(of: first.take(1)) == ["Ada"])
    let all = Observable.combineLatest([name.map { $0.count }, age.asObservable()])
    #expect(try elements(of: all.take(1)) == [[3, 36]])
  }

  @Test func `zip pairs and numbers elements`() throws {
    let numbered = Observable.zip(Observable.of("a", "b"), Observable.range(start: 1, count: 10))
    #expect(try elements(of: numbered.map { "\($1)\($0)" }) == ["1a", "2b"])
    #expect(
      try elements(of: Observable.of("a", "b").enumerated().map { "\($0.index)\($0.element)" })
        == ["0a", "1b"])
    let previous = Observable.of(1, 3, 6)
    let differences = Observable.zip(previous, previous.skip(1)) { $1 - $0 }
    #expect(try elements(of: differences) == [2, 3])
  }

  @Test func `an error can be replaced, caught or thrown in map`() throws {
    let failing = Observable<[Int]>.error(AppError.offline)
    #expect(try elements(of: failing.catchAndReturn([])) == [[]])
    #expect(try elements(of: failing.catch { _ in .just([1]) }) == [[1]])
    #expect(
      try elements(
        of: failing.catch { error in
          guard let error = error as? AppError, error == .offline else { return .error(error) }
          return .empty()
        }) == [])
    let checked = Observable.of(1, -1).map { number -> Int in
      guard number > 0 else { throw AppError.unauthorized }
      return number
    }
    #expect(throws: AppError.unauthorized) { try elements(of: checked) }
  }

  @Test func `a failed request can be retried`() throws {
    let attempts = BehaviorRelay(value: 0)
    let request = Observable<Int>.deferred {
      attempts.accept(attempts.value + 1)
      return attempts.value < 3 ? .error(AppError.offline) : .just(attempts.value)
    }
    #expect(try elements(of: request.retry(3)) == [3])
    attempts.accept(0)
    #expect(throws: AppError.offline) { try elements(of: request.retry(2)) }
  }

  @Test func `Observable.create can capture a variable`() throws {
    let countdown = Observable<Int>.create { observer in
      var left = 3
      while left > 0 {
        observer.onNext(left)
        left -= 1
      }
      observer.on(.completed)
      return Disposables.create()
    }
    #expect(try elements(of: countdown) == [3, 2, 1])
  }

  @Test func `a callback can be converted to a single`() throws {
    #expect(try user(1).map(\.name).toBlocking().single() == "Ada")
    #expect(throws: AppError.offline) { try user(0).toBlocking().single() }
    #expect(
      try Single.zip(user(1), user(2)) { $0.id + $1.id }.toBlocking().single() == 3)
    #expect(
      try user(0).catchAndReturn(User(id: 9, name: "")).map(\.id).toBlocking().single() == 9)
    #expect(
      try user(1).flatMap { user($0.id + 1) }.map { $0.id }.toBlocking().single() == 2)
  }

  @Test func `completables can be chained with andThen`() throws {
    let order = BehaviorRelay<[String]>(value: [])
    func step(_ name: String) -> Completable {
      .create { completable in
        order.accept(order.value + [name])
        completable(.completed)
        return Disposables.create()
      }
    }
    #expect(
      try step("save").andThen(step("sync")).andThen(Single.just(1)).toBlocking().single() == 1)
    #expect(order.value == ["save", "sync"])
  }

  @Test func `data can be decoded`() throws {
    let data = Observable.just(Data(#"{"id": 1, "name": "Ada"}"#.utf8))
    #expect(
      try elements(of: data.decode(type: User.self, decoder: JSONDecoder()))
        == [User(id: 1, name: "Ada")])
  }

  @Test func `share gives many observers one subscription`() throws {
    let subscriptions = BehaviorRelay(value: 0)
    let shared = Observable<Int>.create { observer in
      subscriptions.accept(subscriptions.value + 1)
      observer.onNext(1)
      return Disposables.create()
    }.share(replay: 1)
    let bag = DisposeBag()
    shared.subscribe().disposed(by: bag)
    #expect(try shared.take(1).toBlocking().single() == 1)
    #expect(try shared.map { $0 + 1 }.take(1).toBlocking().single() == 2)
    #expect(subscriptions.value == 1)
  }

  @Test func `do runs side effects`() throws {
    let log = BehaviorRelay<[String]>(value: [])
    let loaded = Observable.of(1, 2)
      .do(
        onNext: { log.accept(log.value + ["next \($0)"]) },
        onCompleted: { log.accept(log.value + ["completed"]) },
        onSubscribe: { log.accept(log.value + ["subscribe"]) })
    #expect(try elements(of: loaded) == [1, 2])
    #expect(log.value == ["subscribe", "next 1", "next 2", "completed"])
  }

  @Test func `lists of sequences can be merged, concatenated and zipped`() throws {
    let requests = (1...3).map { Observable.just($0) }
    #expect(try elements(of: Observable.merge(requests)) == [1, 2, 3])
    #expect(try elements(of: Observable.concat(requests)) == [1, 2, 3])
    #expect(try elements(of: Observable.zip(requests)) == [[1, 2, 3]])
    #expect(try elements(of: Observable.zip(requests) { $0.reduce(0, +) }) == [6])
    #expect(try elements(of: Observable.from(requests).merge()) == [1, 2, 3])
    #expect(
      try elements(of: Observable.from([1, 2]).concatMap { Observable.just($0 * 2) }) == [2, 4])
    #expect(try elements(of: Observable.from([1, 2]).toArray()) == [[1, 2]])
    #expect(
      try elements(of: Observable.merge([.just(1), .empty(), .just(2)])) == [1, 2])
  }

  @Test func `schedulers select the threads`() throws {
    let background = SerialDispatchQueueScheduler(qos: .background)
    let source = Observable.of(1, 2)
      .subscribe(on: ConcurrentDispatchQueueScheduler(qos: .utility))
      .observe(on: background)
      .map { $0 * 2 }
    #expect(try elements(of: source) == [2, 4])
  }

  @Test func `a test scheduler controls the time`() {
    let scheduler = TestScheduler(initialClock: 0)
    let taps = scheduler.createHotObservable([.next(210, "a"), .next(211, "b"), .next(250, "c")])
    let result = scheduler.start {
      taps.throttle(.seconds(20), latest: false, scheduler: scheduler)
    }
    #expect(result.elements == ["a", "c"])
    let ticks = TestScheduler(initialClock: 0)
    #expect(
      ticks.start { Observable<Int>.interval(.seconds(300), scheduler: ticks).take(2) }.events
        == [.next(500, 0), .next(800, 1), .completed(800)])
  }
}
