import Compose
import ReactiveTesting
import TestSupport
import Testing

/// Owns a composer like a view controller does.
@MainActor
final class Screen<C: Composer> {
  @Compose var composer: C

  init(_ composer: C) { _composer = Compose(wrappedValue: composer) }
}

@MainActor
@Suite("RxCompose's README, example by example", .workerPool)
struct ReadmeTests {
  let time = VirtualTime()

  @Test func `the counter's label follows its taps`() {
    let screen = time.run { ViewController() }
    screen.viewDidLoad()
    screen.incrementButton.tap(times: 3)
    screen.decrementButton.tap()
    #expect(screen.composer.state.count == 2)
    #expect(screen.countLabel.shown == ["0", "1", "2", "3", "2"])
  }

  @Test func `the counter presents one alert at ten and one at minus ten`() {
    let screen = time.run { ViewController() }
    screen.viewDidLoad()
    screen.incrementButton.tap(times: 12)
    screen.decrementButton.tap(times: 22)
    let messages = screen.presented.compactMap { ($0 as? UIAlertController)?.message }
    #expect(messages == ["Count reached 10!", "Count reached -10!"])
  }

  @Test func `an asynchronous run loads data`() {
    let screen = time.run { Screen(DataComposer()) }
    screen.composer.action.accept(.fetchData)
    #expect(screen.composer.state.isLoading)
    #expect(screen.composer.state.data == nil)
    time.settle()
    #expect(screen.composer.state.data == "data")
    #expect(!screen.composer.state.isLoading)
  }

  @Test func `an asynchronous run that throws ends the loading`() {
    let screen = time.run { Screen(DataComposer()) }
    API.$fails.withValue(true) { screen.composer.action.accept(.fetchData) }
    time.settle()
    #expect(screen.composer.state.data == nil)
    #expect(!screen.composer.state.isLoading)
  }

  @Test func `an observable run loads data`() {
    let screen = time.run { Screen(ObservableDataComposer()) }
    screen.composer.action.accept(.fetchData)
    #expect(screen.composer.state.data == "data")
    #expect(!screen.composer.state.isLoading)
  }

  @Test func `an observable run that fails ends the loading`() {
    let screen = time.run { Screen(ObservableDataComposer()) }
    API.$fails.withValue(true) { screen.composer.action.accept(.fetchData) }
    #expect(screen.composer.state.data == nil)
    #expect(!screen.composer.state.isLoading)
  }

  @Test func `a timer ticks at its due time and then once a period`() {
    let screen = time.run { Screen(TimerComposer()) }
    screen.composer.action.accept(.startTimer)
    let counts = [999, 1, 1_999, 1, 2_000].map { milliseconds in
      time.advance(by: .milliseconds(milliseconds))
      return screen.composer.state.count
    }
    #expect(counts == [0, 1, 1, 2, 3])
  }

  @Test func `an interval ticks after its first period`() {
    let screen = time.run { Screen(IntervalComposer()) }
    screen.composer.action.accept(.startCounting)
    let counts = [0, 999, 1, 1_000].map { milliseconds in
      time.advance(by: .milliseconds(milliseconds))
      return screen.composer.state.count
    }
    #expect(counts == [0, 0, 1, 2])
  }

  @Test func `a stopped timer stands still, and starts again`() {
    let screen = time.run { TimerViewController() }
    screen.viewDidLoad()

    screen.startButton.tap()
    time.advance(by: .milliseconds(2_500))
    #expect(screen.composer.state.isRunning)
    #expect(screen.composer.state.count == 3)

    screen.stopButton.tap()
    time.advance(by: .seconds(60))
    #expect(!screen.composer.state.isRunning)
    #expect(screen.composer.state.count == 3)

    screen.startButton.tap()
    time.advance(by: .milliseconds(1_500))
    #expect(screen.composer.state.isRunning)
    #expect(screen.composer.state.count == 5)
    #expect(screen.countLabel.shown.last == "5")
  }
}
