import Sockets

/// Why the program ends.
enum Ending: Equatable, Sendable {
  /// A key or the end of the input asked for it.
  case quit
  /// The time is over.
  case timeUp
  case signal(Int32)
  case failed(WebSocketError)
}

/// Owns the composer, and connects it with what shows its state and what sends it actions.
@MainActor
final class Dashboard: Composable {
  @Compose var composer: DashboardComposer
  var disposeBag = DisposeBag()

  init(_ world: DashboardWorld) { composer = DashboardComposer(world) }

  /// Draws every state on `terminal`, at most ten a second, and turns keys into actions.
  func show(on terminal: Terminal, keys: Observable<Key>, resizes: Observable<Int32>) {
    let states = composer.$state.observable.asObservable()
      .throttle(.milliseconds(100), scheduler: MainScheduler.instance)
    Observable.combineLatest(states, resizes.startWith(0)) { state, _ in state }
      .bind(to: Binder(terminal) { terminal, state in terminal.draw(Page(state)) })
      .disposed(by: disposeBag)
    keys.compactMap { DashboardComposer.Action($0) }
      .bind(to: composer.action)
      .disposed(by: disposeBag)
  }

  /// Gives `print` a line for everything that happens, and for every second.
  func print(to print: @escaping @MainActor (String) -> Void) {
    var last = composer.state
    composer.$state.observable
      .drive(onNext: { state in
        for line in PlainPrinter.lines(from: last, to: state) { print(line) }
        last = state
      })
      .disposed(by: disposeBag)
  }

  /// The first of `endings`, or a connection that cannot be had; it listens from now on.
  func ending(among endings: Observable<Ending>...) -> AsyncStream<Ending> {
    let failure = composer.$state.observable.asObservable().compactMap { state -> Ending? in
      if case .failed(let error) = state.link { .failed(error) } else { nil }
    }
    return Observable.merge(endings + [failure]).asDriver(onErrorJustReturn: .quit).values
  }

  /// Starts, and returns when the ending comes.
  func run(until ending: AsyncStream<Ending>) async -> Ending {
    composer.action.accept(.start)
    for await ending in ending { return ending }
    return .quit
  }
}
