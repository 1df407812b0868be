import Sockets

/// Why the program ends.
enum Ending: Equatable, Sendable {
  /// A key, or the end of the input.
  case quit
  /// The time of `--seconds` has passed.
  case timeUp
  case signal(Int32)
  case failed(WebSocketError)
}

/// Owns the composer, and binds it to its output and input.
@MainActor
final class Dashboard: Composable {
  @Compose var composer: DashboardComposer
  var disposeBag = DisposeBag()

  init(_ world: DashboardWorld) { composer = DashboardComposer(world) }

  /// Draws every state on `terminal`, at most ten a second, and turns keys into actions.
  func show(
    on terminal: Terminal, keys: Observable<Key>, resizes: Observable<Int32>, inspector: String?
  ) {
    let states = composer.$state.observable.asObservable()
      .throttle(.milliseconds(100), scheduler: MainScheduler.instance)
    Observable.combineLatest(states, resizes.startWith(0)) { state, _ in state }
      .bind(
        to: Binder(terminal) { terminal, state in terminal.draw(Page(state, inspector: inspector)) }
      )
      .disposed(by: disposeBag)
    keys.compactMap { DashboardComposer.Action($0) }
      .bind(to: composer.action)
      .disposed(by: disposeBag)
  }

  /// Calls `print` with a line for every event of the connection, and for every second.
  func print(to print: @escaping @MainActor (String) -> Void) {
    var last = composer.state
    composer.$state.observable
      .drive(onNext: { state in
        for line in PlainPrinter.lines(from: last, to: state) { print(line) }
        last = state
      })
      .disposed(by: disposeBag)
  }

  /// Emits the first of `endings`, or a connection that fails; it observes them from the call on.
  func ending(among endings: Observable<Ending>...) -> AsyncStream<Ending> {
    let failure = composer.$state.observable.asObservable().compactMap { state -> Ending? in
      if case .failed(let error) = state.link { .failed(error) } else { nil }
    }
    return Observable.merge(endings + [failure]).asDriver(onErrorJustReturn: .quit).values
  }

  /// Starts, and returns with the first element of `ending`.
  func run(until ending: AsyncStream<Ending>) async -> Ending {
    composer.action.accept(.start)
    for await ending in ending { return ending }
    return .quit
  }
}
