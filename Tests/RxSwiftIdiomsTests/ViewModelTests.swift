import Reactive
import ReactiveTesting
import TestSupport
import Testing

// View models as apps write them.

final class CounterViewModel {
  let increment: AnyObserver<Void>
  let decrement: AnyObserver<Void>
  let text: Driver<String>

  init(start: Int = 0) {
    let increments = PublishSubject<Void>()
    let decrements = PublishSubject<Void>()
    increment = increments.asObserver()
    decrement = decrements.asObserver()
    text = Observable.merge(increments.map { 1 }, decrements.map { -1 })
      .scan(start) { $0 + $1 }
      .startWith(start)
      .map { "Count: \($0)" }
      .asDriver(onErrorJustReturn: "-")
  }
}

protocol SearchService: Sendable {
  func search(_ query: String) -> Observable<[String]>
}

struct FakeSearchService: SearchService {
  func search(_ query: String) -> Observable<[String]> {
    query == "fail" ? .error(AppError.offline) : .just(["\(query) 1", "\(query) 2"])
  }
}

final class SearchViewModel {
  let query = BehaviorRelay(value: "")
  let results: Driver<[String]>
  let isEmpty: Driver<Bool>

  init(service: any SearchService, scheduler: any SchedulerType) {
    results =
      query
      .debounce(.milliseconds(300), scheduler: scheduler)
      .distinctUntilChanged()
      .filter { !$0.isEmpty }
      .flatMapLatest { query in
        service.search(query)
          .catchAndReturn([])
      }
      .asDriver(onErrorJustReturn: [])
    isEmpty = results.map { $0.isEmpty }.distinctUntilChanged()
  }
}

protocol ViewModelType {
  associatedtype Input
  associatedtype Output
  func transform(input: Input) -> Output
}

struct LoginViewModel: ViewModelType {
  struct Input {
    let username: Driver<String>
    let password: Driver<String>
    let loginTap: Signal<Void>
  }

  struct Output {
    let isLoginEnabled: Driver<Bool>
    let loggedIn: Signal<String>
    let error: Signal<AppError>
  }

  func transform(input: Input) -> Output {
    let credentials = Driver.combineLatest(input.username, input.password)
    let isLoginEnabled = credentials.map { !$0.isEmpty && $1.count >= 3 }
      .distinctUntilChanged()
    let result = input.loginTap
      .asObservable()
      .withLatestFrom(credentials)
      .flatMapLatest { username, password in
        Self.logIn(username, password).asObservable().materialize()
      }
      .share()
    return Output(
      isLoginEnabled: isLoginEnabled,
      loggedIn: result.compactMap { $0.element }.asSignal(onErrorSignalWith: .empty()),
      error: result.compactMap { $0.error as? AppError }.asSignal(onErrorSignalWith: .empty()))
  }

  private static func logIn(_ username: String, _ password: String) -> Single<String> {
    password == "secret" ? .just(username) : .error(AppError.unauthorized)
  }
}

final class ListViewModel {
  private let disposeBag = DisposeBag()
  private let itemsRelay = BehaviorRelay<[String]>(value: [])
  let loadMore = PublishRelay<Void>()
  var items: Driver<[String]> { itemsRelay.asDriver() }

  init(pages: [[String]]) {
    loadMore
      .enumerated()
      .map { index, _ in index }
      .take(while: { $0 < pages.count })
      .map { pages[$0] }
      .withLatestFrom(itemsRelay) { $1 + $0 }
      .bind(to: itemsRelay)
      .disposed(by: disposeBag)
  }
}

@MainActor
@Suite(.workerPool) struct ViewModelTests {
  @Test func `a view model with inputs and outputs counts`() {
    onTestClock { scheduler in
      let viewModel = CounterViewModel(start: 5)
      let observer = scheduler.createObserver(String.self)
      _ = viewModel.text.drive(observer)
      scheduler.scheduleAt(10) { viewModel.increment.onNext(()) }
      scheduler.scheduleAt(20) { viewModel.decrement.onNext(()) }
      scheduler.start()
      #expect(observer.elements == ["Count: 5", "Count: 6", "Count: 5"])
    }
  }

  @Test func `a search view model debounces, keeps the latest result and handles errors`() {
    onTestClock { scheduler in
      let viewModel = SearchViewModel(service: FakeSearchService(), scheduler: scheduler)
      let results = scheduler.createObserver([String].self)
      let isEmpty = scheduler.createObserver(Bool.self)
      _ = viewModel.results.drive(results)
      _ = viewModel.isEmpty.drive(isEmpty)
      for (time, query) in [(10, "a"), (11, "ab"), (20, "fail"), (30, "ab"), (31, "ab")] {
        scheduler.scheduleAt(time) { viewModel.query.accept(query) }
      }
      scheduler.start()
      #expect(results.elements.last == ["ab 1", "ab 2"])
      #expect(results.elements.contains([]))
      #expect(isEmpty.elements == [false, true, false])
    }
  }

  @Test func `a login view model splits elements and errors with materialize`() {
    onTestClock { scheduler in
      let password = BehaviorRelay(value: "")
      let tap = PublishRelay<Void>()
      let output = LoginViewModel().transform(
        input: .init(
          username: .just("ada"), password: password.asDriver(), loginTap: tap.asSignal()))
      let enabled = scheduler.createObserver(Bool.self)
      let names = scheduler.createObserver(String.self)
      let errors = scheduler.createObserver(AppError.self)
      _ = output.isLoginEnabled.drive(enabled)
      _ = output.loggedIn.emit(to: names)
      _ = output.error.emit(to: errors)
      scheduler.scheduleAt(10) { password.accept("wrong") }
      scheduler.scheduleAt(20) { tap.accept(()) }
      scheduler.scheduleAt(30) { password.accept("secret") }
      scheduler.scheduleAt(40) { tap.accept(()) }
      scheduler.start()
      #expect(enabled.elements == [false, true])
      #expect(names.elements == ["ada"])
      #expect(errors.elements == [.unauthorized])
    }
  }

  @Test func `a list view model appends pages to a relay`() {
    onTestClock { scheduler in
      let viewModel = ListViewModel(pages: [["a"], ["b", "c"]])
      let observer = scheduler.createObserver([String].self)
      _ = viewModel.items.drive(observer)
      for time in [10, 20, 30] { scheduler.scheduleAt(time) { viewModel.loadMore.accept(()) } }
      scheduler.start()
      #expect(observer.elements == [[], ["a"], ["a", "b", "c"]])
    }
  }
}
