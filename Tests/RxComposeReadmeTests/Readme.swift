// swift-format-ignore-file
// The examples of RxCompose's README, word for word. What differs: storyboard outlets are plain
// properties (there is no storyboard here), and the README's `timerD` is `timerDisposeBag`.
import Compose

class CounterComposer: Composer {
    enum Action {
        case increment
        case decrement
        case showAlert(String)
    }

    struct State {
        var count = 0
        @PresentState var alertMessage: String?
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .increment:
            state.count += 1
            if state.count == 10 {
                return .send(.showAlert("Count reached 10!"))
            }
            return .none
        case .decrement:
            state.count -= 1
            if state.count == -10 {
                return .send(.showAlert("Count reached -10!"))
            }
            return .none
        case let .showAlert(message):
            state.alertMessage = message
            return .none
        }
    }
}

class ViewController: UIViewController, Composable {
    var countLabel = UILabel()
    var incrementButton = UIButton()
    var decrementButton = UIButton()

    @Compose var composer = CounterComposer()
    var disposeBag = DisposeBag()

    override func viewDidLoad() {
        super.viewDidLoad()
        bind()
    }

    func bind() {
        // Bind state.count to label
        composer.$state.observable
            .map(\.count)
            .map { "\($0)" }
            .distinctUntilChanged()
            .drive(countLabel.rx.text)
            .disposed(by: disposeBag)

        // Present alert when alertMessage changes
        composer.$state.present(\.$alertMessage)
            .compactMap(\.self)
            .drive(with: self) { this, message in
                let alert = UIAlertController(title: "Alert", message: message, preferredStyle: .alert)
                alert.addAction(UIAlertAction(title: "OK", style: .default))
                this.present(alert, animated: true)
            }
            .disposed(by: disposeBag)

        // Bind buttons to actions
        incrementButton.rx.tap
            .map { Composer.Action.increment }
            .bind(to: composer.action)
            .disposed(by: disposeBag)

        decrementButton.rx.tap
            .map { Composer.Action.decrement }
            .bind(to: composer.action)
            .disposed(by: disposeBag)
    }
}

class DataComposer: Composer {
    enum Action {
        case fetchData
        case dataLoaded(String)
        case fetchFailed(Error)
    }

    struct State {
        var data: String?
        var isLoading = false
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .fetchData:
            state.isLoading = true
            return .run { effect in
                let data = try await api.fetchData() // Assume api.fetchData() is an async method
				effect.onNext(.send(.dataLoaded(data)))
            } catch: { error in
                return .send(.fetchFailed(error))
            }
        case .dataLoaded(let data):
            state.data = data
            state.isLoading = false
            return .none
        case .fetchFailed(let error):
            state.isLoading = false
            return .none
        }
    }
}

class ObservableDataComposer: Composer {
    enum Action {
        case fetchData
        case dataLoaded(String)
        case fetchFailed(Error)
    }

    struct State {
        var data: String?
        var isLoading = false
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .fetchData:
            state.isLoading = true
            let dataObservable = api.fetchDataObservable() // Assume this returns Observable<String>
            return .run(dataObservable.map {
				Action.dataLoaded($0)
			}) { error in
                return .send(.fetchFailed(error))
            }
        case .dataLoaded(let data):
            state.data = data
            state.isLoading = false
            return .none
        case .fetchFailed(let error):
            state.isLoading = false
            return .none
        }
    }
}

class TimerComposer: Composer {
    enum Action {
        case startTimer
        case tick
    }

    struct State {
        var count = 0
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()
	var timerDisposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .startTimer:
            return .timer(.send(.tick), dueTime: .seconds(1), period: .seconds(2), disposeBag: timerDisposeBag)
        case .tick:
            state.count += 1
            return .none
        }
    }
}

class IntervalComposer: Composer {
    enum Action {
        case startCounting
        case increment
    }

    struct State {
        var count = 0
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .startCounting:
            return .interval(.send(.increment), period: .seconds(1), disposeBag: disposeBag)
        case .increment:
            state.count += 1
            return .none
        }
    }
}

class StoppableTimerComposer: Composer {
    enum Action {
        case startTimer
        case stopTimer
        case tick
    }

    struct State {
        var count = 0
        var isRunning = false
    }

    @ComposableState var state = State()
    var action = PublishRelay<Action>()
    var disposeBag = DisposeBag()

    func reducer(_ state: inout State, _ action: Action) -> Observable<Effect<Action>> {
        switch action {
        case .startTimer:
            guard !state.isRunning else { return .none }
            state.isRunning = true
            return .timer(.send(.tick), dueTime: .seconds(0), period: .seconds(1), disposeBag: disposeBag)
        case .stopTimer:
            state.isRunning = false
            return .cancel(&disposeBag)
        case .tick:
            state.count += 1
            return .none
        }
    }
}

class TimerViewController: UIViewController, Composable {
    var countLabel = UILabel()
    var startButton = UIButton()
    var stopButton = UIButton()

    @Compose var composer = StoppableTimerComposer()
    var disposeBag = DisposeBag()

    override func viewDidLoad() {
        super.viewDidLoad()
        bind()
    }

    func bind() {
        composer.$state.observable
            .map(\.count)
            .map { "\($0)" }
            .drive(countLabel.rx.text)
            .disposed(by: disposeBag)

        startButton.rx.tap
            .map { Composer.Action.startTimer }
            .bind(to: composer.action)
            .disposed(by: disposeBag)

        stopButton.rx.tap
            .map { Composer.Action.stopTimer }
            .bind(to: composer.action)
            .disposed(by: disposeBag)
    }
}
