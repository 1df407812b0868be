import Foundation
import Reactive
import TestSupport
import Testing

// The switch is one for the process: each test has a process of its own.
@Suite(.workerPool) struct StreamsTests {
  @Test(.looksUpPlaces)
  func `each stage of a live subscription is listed with its operator, file and line`() async {
    await #expect(processExitsWith: .success) { listStages() }
  }

  @Test func `nothing is listed unless it was asked for`() async {
    await #expect(processExitsWith: .success) {
      let subject = PublishSubject<Int>()
      let chain = subject.map { $0 }
      let before = chain.subscribe()
      #expect(Streams.live.isEmpty)
      Streams.isTraced = true
      // What was made before is known by its subscription alone.
      let after = chain.subscribe()
      #expect(Streams.live.map(\.operatorName) == ["subscribe"])
      Streams.isTraced = false
      #expect(Streams.live.count == 1)
      _ = chain.subscribe()
      #expect(Streams.live.count == 1)
      for subscription in [before, after] { subscription.dispose() }
      #expect(Streams.live.isEmpty)
    }
  }

  @Test(.looksUpPlaces)
  func `what an operator subscribes to has that operator's stream as its parent`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let (outer, inner) = (PublishSubject<Int>(), PublishRelay<Int>())
      let other = BehaviorSubject(value: 0)
      let subscription =
        outer
        .flatMap { number in inner.map { $0 + number } }
        .take(until: other.skip(1))
        .subscribe()
      outer.onNext(1)
      outer.onNext(2)

      let live = Streams.live
      func stream(_ name: String) -> LiveStream? { live.last { $0.operatorName == name } }
      func parent(of name: String) -> String? {
        live.first { $0.id == stream(name)?.parent }?.operatorName
      }
      #expect(parent(of: "take") == "subscribe")
      #expect(parent(of: "skip") == "take")
      #expect(parent(of: "BehaviorSubject") == "skip")
      #expect(parent(of: "flatMap") == "take")
      #expect(parent(of: "PublishSubject") == "flatMap")
      #expect(live.count { $0.operatorName == "map" && $0.parent == stream("flatMap")?.id } == 2)
      #expect(parent(of: "PublishRelay") == "map")
      other.onNext(1)
      #expect(Streams.live.isEmpty)
      subscription.dispose()
    }
  }

  @Test(.looksUpPlaces) func `several stages that one call makes are one stream`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let subscription = PublishSubject<Int>().single { $0 > 1 }.subscribe()
      #expect(Streams.live.map(\.operatorName) == ["subscribe", "single", "PublishSubject"])
      subscription.dispose()
    }
  }

  @Test(.looksUpPlaces) func `each way to subscribe is named`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let (subject, relay) = (PublishSubject<Int>(), PublishRelay<Int>())
      let bag = DisposeBag()
      subject.bind(to: relay).disposed(by: bag)
      subject.bind(onNext: { _ in }).disposed(by: bag)
      subject.asSingle().subscribe(onSuccess: { _ in }).disposed(by: bag)
      subject.subscribe(subject).disposed(by: bag)
      await MainActor.run {
        subject.asDriver(onErrorJustReturn: 0).drive(onNext: { _ in }).disposed(by: bag)
        subject.asSignal(onErrorJustReturn: 0).emit(onNext: { _ in }).disposed(by: bag)
      }
      let roots = Streams.live.filter { $0.parent == nil }.map(\.operatorName)
      #expect(
        roots.filter { $0?.hasPrefix("as") == false }
          == ["bind", "bind", "subscribe", "subscribe", "drive", "emit"])
    }
  }

  @Test(.looksUpPlaces) func `an unhandled error names the operators that it came through`() async {
    await #expect(processExitsWith: .success) { reportChains() }
  }

  @Test(.looksUpPlaces) func `an error that changes threads keeps its chain`() async {
    await #expect(processExitsWith: .success) {
      let (chains, latch) = (Log<[String]>(), Latch())
      Hooks.defaultErrorHandler = { chain, _ in
        chains.append(chain.map { String($0.prefix { $0 != " " }) })
        latch.open()
      }
      Streams.isTraced = true
      let scheduler = SerialDispatchQueueScheduler(qos: .default)
      let subscription = Observable.just(1, scheduler: scheduler)
        .map { _ in throw CancellationError() }
        .observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
        .subscribe()
      latch.wait()
      #expect(chains.entries == [["map", "observe", "subscribe"]])
      subscription.dispose()
    }
  }

  @Test func `nothing stays of what has ended, was disposed of or was forgotten`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let subject = PublishSubject<Int>()
      let chain = subject.map { $0 }.flatMapLatest { Observable.just($0).startWith(0) }
      for number in 0..<2_000 {
        chain.subscribe().dispose()
        _ = chain.take(1).subscribe()
        let forgotten = PublishSubject<Int>()
        _ = forgotten.map { $0 }.subscribe()
        subject.onNext(number)
      }
      #expect(Streams.live.isEmpty)
    }
  }

  @Test func `threads subscribe, dispose and list at once`() async {
    await #expect(processExitsWith: .success) {
      Streams.isTraced = true
      let shared = BehaviorSubject(value: 0).map { $0 }.share(replay: 1)
      let kept = CompositeDisposable()
      onThreads(4) { index in
        for number in 0..<500 {
          let subscription = shared.filter { $0 >= 0 }.subscribe()
          if number % 100 == index { _ = Streams.live.count }
          subscription.dispose()
          _ = kept.insert(shared.subscribe())
        }
      }
      #expect(Streams.live.count { $0.operatorName == "subscribe" } == 2_000)
      kept.dispose()
      #expect(Streams.live.isEmpty)
    }
  }

  @Test(.looksUpPlaces) func `the description is a tree of one line for each stream`() async {
    await #expect(processExitsWith: .success) { describeStreams() }
  }
}

// Outside of the macro: what it expands has files and lines of its own.

private func listStages() {
  Streams.isTraced = true
  let line = #line + 1
  let subject = PublishSubject<Int>()
  let subscription =
    subject
    .map { $0 * 2 }
    .filter { $0 > 2 }
    .distinctUntilChanged()
    .subscribe(onNext: { _ in })
  for element in 1...3 { subject.onNext(element) }

  let live = Streams.live
  #expect(
    live.map(\.operatorName)
      == ["subscribe", "distinctUntilChanged", "filter", "map", "PublishSubject"])
  #expect(
    live.map { $0.file?.hasSuffix("/StreamsTests.swift") } == Array(repeating: true, count: 5))
  #expect(live.map(\.line) == [line + 6, line + 5, line + 4, line + 3, line])
  #expect(live.map(\.parent) == [nil] + live.dropLast().map(\.id))
  #expect(live.map(\.elementCount) == [2, 2, 2, 3, 3])
  #expect(live.allSatisfy { ($0.lastElementAge ?? .seconds(-1)) >= .zero && $0.age >= .zero })

  subscription.dispose()
  #expect(Streams.live.isEmpty)
}

private func reportChains() {
  let chains = Log<[String]>()
  Hooks.defaultErrorHandler = { chain, _ in chains.append(chain) }
  Hooks.customCaptureSubscriptionCallstack = { ["here"] }
  let failing = { @Sendable (_: Int) throws -> Int in throw CancellationError() }
  _ = Observable.just(1).map(failing).subscribe()
  Streams.isTraced = true
  let line = #line
  _ = Observable.just(1)
    .map(failing)
    .filter { $0 > 1 }
    .subscribe(onNext: { _ in })
  _ = Observable<Int>.error(CancellationError())
    .catch { .just("\($0)".count) }
    .flatMap { Observable.of($0).map(failing) }
    .retry(2)
    .subscribe(onNext: { _ in })
  Hooks.recordCallStackOnError = true
  _ = Single<Int>.error(CancellationError()).subscribe(onSuccess: { _ in })

  func place(_ name: String, _ offset: Int) -> String {
    "\(name) — StreamsTests.swift:\(line + offset)"
  }
  #expect(chains.entries.count == 4)
  #expect(
    chains.entries == [
      [], [place("map", 2), place("filter", 3), place("subscribe", 4)],
      [place("map", 7), place("flatMap", 7), place("retry", 8), place("subscribe", 9)],
      [place("error", 11), place("subscribe", 11), "here"],
    ])
  #expect(Streams.live.isEmpty)
}

private func describeStreams() {
  Streams.isTraced = true
  let subject = PublishSubject<Int>()
  let bag = DisposeBag()
  let line = #line
  subject.map { $0 }.subscribe().disposed(by: bag)
  subject.subscribe().disposed(by: bag)
  subject.onNext(1)
  subject.onNext(2)
  let pattern = /, for \d+\.\d s, 2 elements, the last \d+\.\d s ago/
  let lines = Streams.description.split(separator: "\n").map { $0.replacing(pattern, with: "") }
  #expect(
    lines == [
      "1 subscribe — StreamsTests.swift:\(line + 1)",
      "  2 map — StreamsTests.swift:\(line + 1)",
      "    3 PublishSubject — StreamsTests.swift:\(line - 2)",
      "4 subscribe — StreamsTests.swift:\(line + 2)",
      "  5 PublishSubject — StreamsTests.swift:\(line - 2)",
    ])
}

extension Trait where Self == ConditionTrait {
  /// Not under a sanitizer, which makes a look-up of places in a program of this size take minutes.
  fileprivate static var looksUpPlaces: Self {
    #if SANITIZED
    .enabled(if: false)
    #else
    .enabled(if: true)
    #endif
  }
}
