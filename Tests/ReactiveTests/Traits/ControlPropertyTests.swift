import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct ControlPropertyTests {
  private let text = BehaviorSubject<String?>(value: nil)
  private let log = Log<String>()

  private var property: ControlProperty<String?> {
    ControlProperty(values: text, valueSink: text)
  }

  @Test func `emits its value and what the user sets`() {
    let subscription = property.asControlProperty().map { $0 ?? "nil" }.write(to: log)
    text.onNext("a")
    #expect(log.entries == ["nil", "a"])
    subscription.dispose()
  }

  @Test func `changes are all values but the first`() {
    let changed: ControlEvent<String?> = property.changed
    let subscription = changed.map { $0 ?? "nil" }.write(to: log)
    text.onNext("a")
    text.onNext(nil)
    #expect(log.entries == ["a", "nil"])
    subscription.dispose()
  }

  @Test func `is bound to and driven`() throws {
    _ = Observable.just("a").concat(Observable.never()).bind(to: property)
    #expect(try text.value() == "a")
    let (text, property) = (text, property)
    inMockedTime { _ in
      _ = Driver.just("b").concat(Driver.never()).drive(property)
      _ = Signal.just("c").concat(Signal.never()).emit(to: property.orEmpty)
    }
    #expect(try text.value() == "c")
  }

  @Test func `passes a completion on, and reports an error`() {
    let errors = reported {
      property.on(.error(Unhandled(name: "property")))
    }
    let subscription = text.map { $0 ?? "nil" }.write(to: log)
    property.on(.completed)
    #expect(errors == ["property"])
    #expect(log.entries == ["nil", "|"])
    subscription.dispose()
  }

  @Test func `an empty text stands for none`() throws {
    let filled = property.orEmpty
    let subscription = filled.write(to: log)
    filled.onNext("a")
    text.onNext(nil)
    #expect(log.entries == ["", "a", ""])
    subscription.dispose()
  }

  @Test func `becomes a driver`() {
    let text = text
    let events = mocked { scheduler in
      scheduler.scheduleAt(210) { text.onNext("a") }
      scheduler.scheduleAt(220) { text.onError(TestError(name: "control property driver")) }
      return ControlProperty(values: text, valueSink: text).asDriver().map { $0 ?? "nil" }
    }
    #expect(events == [.next(201, "nil"), .next(211, "a"), .completed(221)])
  }
}
