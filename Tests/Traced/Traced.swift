import Foundation
import Reactive

/// Makes streams and prints their entries in `Streams.live`, for `StreamsTests`.
///
/// It is a separate program because a lookup of places reads the debug information of the whole
/// program, which is large in tests.
@main struct Traced {
  static func main() {
    let programs = [
      "stages": stages, "parents": parents, "stagesOfOneCall": stagesOfOneCall, "roots": roots,
      "errors": errors, "unhandledError": unhandledError,
      "errorOnAnotherThread": errorOnAnotherThread, "description": description,
      "switch": turnOnAndOff, "threads": threads,
    ]
    guard let name = CommandLine.arguments.dropFirst().first, let program = programs[name] else {
      fatalError("give one of \(programs.keys.sorted())")
    }
    Streams.isTraced = true
    program()
    for stream in Streams.live { print("still live: \(stream)") }
  }

  /// Prints each live stream's operator, place, number of elements and parent.
  ///
  /// Lines are counted from `start`.
  private static func list(from start: Int) {
    let live = Streams.live
    for stream in live {
      let parent = live.first { $0.id == stream.parent }?.operatorName
      let file = stream.file?.split(separator: "/").last
      let lastAge = stream.lastElementAge ?? (stream.elementCount == 0 ? .zero : .seconds(-1))
      let hasAges = stream.age >= .zero && lastAge >= .zero
      print(
        stream.operatorName ?? "?", "\(file ?? "?"):\((stream.line ?? 0) - start)",
        hasAges ? "\(stream.elementCount)" : "ages", parent ?? "-")
    }
  }

  private static func stages() {
    let start = #line
    let subject = PublishSubject<Int>()
    let subscription =
      subject
      .map { $0 * 2 }
      .filter { $0 > 2 }
      .distinctUntilChanged()
      .subscribe(onNext: { _ in })
    for element in 1...3 { subject.onNext(element) }
    list(from: start)
    subscription.dispose()
  }

  private static func parents() {
    let start = #line
    let (outer, inner) = (PublishSubject<Int>(), PublishRelay<Int>())
    let other = BehaviorSubject(value: 0)
    let subscription =
      outer
      .flatMap { number in inner.map { $0 + number } }
      .take(until: other.skip(1))
      .subscribe()
    outer.onNext(1)
    outer.onNext(2)
    list(from: start)
    other.onNext(1)
    print("ended")
    list(from: start)
    subscription.dispose()
  }

  private static func turnOnAndOff() {
    let start = #line
    Streams.isTraced = false
    let chain = PublishSubject<Int>().map { $0 }
    let before = chain.subscribe()
    print("off:")
    list(from: start)
    Streams.isTraced = true
    let after = chain.subscribe()
    print("on:")
    list(from: start)
    Streams.isTraced = false
    let later = chain.subscribe()
    print("off again:")
    list(from: start)
    for subscription in [before, after, later] { subscription.dispose() }
    print("disposed of:")
    list(from: start)
  }

  private static func stagesOfOneCall() {
    let start = #line
    let subscription = PublishSubject<Int>().single { $0 > 1 }.subscribe()
    list(from: start)
    subscription.dispose()
  }

  private static func roots() {
    let (subject, relay) = (PublishSubject<Int>(), PublishRelay<Int>())
    let bag = DisposeBag()
    subject.bind(to: relay).disposed(by: bag)
    subject.bind(onNext: { _ in }).disposed(by: bag)
    subject.asSingle().subscribe(onSuccess: { _ in }).disposed(by: bag)
    subject.subscribe(subject).disposed(by: bag)
    MainActor.assumeIsolated {
      subject.asDriver(onErrorJustReturn: 0).drive(onNext: { _ in }).disposed(by: bag)
      subject.asSignal(onErrorJustReturn: 0).emit(onNext: { _ in }).disposed(by: bag)
    }
    for root in Streams.live where root.parent == nil { print(root.operatorName ?? "?") }
  }

  private static func errors() {
    let start = #line
    Hooks.defaultErrorHandler = { chain, _ in print(relative(chain, to: start)) }
    Hooks.customCaptureSubscriptionCallstack = { ["here"] }
    let failing = { @Sendable (_: Int) throws -> Int in throw CancellationError() }
    Streams.isTraced = false
    _ = Observable.just(1).map(failing).subscribe()
    Streams.isTraced = true
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
  }

  private static func unhandledError() {
    _ = Observable.just(1).map { _ in throw RxError.noElements }.subscribe()
  }

  private static func errorOnAnotherThread() {
    let start = #line
    let ended = DispatchSemaphore(value: 0)
    Hooks.defaultErrorHandler = { chain, _ in
      print(relative(chain, to: start))
      ended.signal()
    }
    let scheduler = SerialDispatchQueueScheduler(qos: .default)
    let subscription = Observable.just(1, scheduler: scheduler)
      .map { _ in throw CancellationError() }
      .observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
      .subscribe()
    ended.wait()
    subscription.dispose()
    // The other thread may be ending it.
    while !Streams.live.isEmpty { sched_yield() }
  }

  /// A chain whose lines are counted from `start`.
  private static func relative(_ chain: [String], to start: Int) -> String {
    relative("[" + chain.joined(separator: ", ") + "]", to: start)
  }

  private static func relative(_ text: String, to start: Int) -> String {
    text.replacing(/\.swift:(\d+)/) { match in ".swift:\((Int(match.1) ?? 0) - start)" }
  }

  private static func description() {
    let start = #line
    let subject = PublishSubject<Int>()
    let bag = DisposeBag()
    subject.map { $0 }.subscribe().disposed(by: bag)
    subject.subscribe().disposed(by: bag)
    subject.onNext(1)
    subject.onNext(2)
    print(relative(Streams.description, to: start))
  }

  private static func threads() {
    let shared = BehaviorSubject(value: 0).map { $0 }.share(replay: 1)
    let kept = CompositeDisposable()
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for number in 0..<500 {
        let subscription = shared.filter { $0 >= 0 }.subscribe()
        if number % 100 == index { _ = Streams.live.count }
        subscription.dispose()
        _ = kept.insert(shared.subscribe())
      }
    }
    print(Streams.live.count { $0.operatorName == "subscribe" })
    kept.dispose()
  }
}
