import Reactive
import ReactiveTesting
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct ControlPropertyTests {
  private let text = BehaviorSubject<String?>(value: nil)
  private let log = EventRecorder<String>()

  private var property: ControlProperty<String?> {
    ControlProperty(values: text, valueSink: text)
  }

  @Test func `a control property emits its value and changes`() {
    let subscription = property.asControlProperty().map { $0 ?? "nil" }.record(in: log)
    text.onNext("a")
    #expect(log.events == ["nil", "a"])
    subscription.dispose()
  }

  @Test func `ControlProperty.changed emits all values except the first`() {
    let changed: ControlEvent<String?> = property.changed
    let subscription = changed.map { $0 ?? "nil" }.record(in: log)
    text.onNext("a")
    text.onNext(nil)
    #expect(log.events == ["a", "nil"])
    subscription.dispose()
  }

  @Test func `a control property can be bound and driven`() throws {
    _ = Observable.just("a").concat(Observable.never()).bind(to: property)
    #expect(try text.value() == "a")
    let (text, property) = (text, property)
    inMockedTime { _ in
      _ = Driver.just("b").concat(Driver.never()).drive(property)
      _ = Signal.just("c").concat(Signal.never()).emit(to: property.orEmpty)
    }
    #expect(try text.value() == "c")
  }

  @Test func `a control property passes a completion through and reports an error`() {
    let errors = reported {
      property.on(.error(UnhandledError(name: "property")))
    }
    let subscription = text.map { $0 ?? "nil" }.record(in: log)
    property.on(.completed)
    #expect(errors == ["property"])
    #expect(log.events == ["nil", "|"])
    subscription.dispose()
  }

  @Test func `ControlProperty.orEmpty emits an empty string for nil`() throws {
    let filled = property.orEmpty
    let subscription = filled.record(in: log)
    filled.onNext("a")
    text.onNext(nil)
    #expect(log.events == ["", "a", ""])
    subscription.dispose()
  }

  @Test func `a control property converts to a driver`() {
    let text = text
    let events = mocked { scheduler in
      scheduler.scheduleAt(210) { text.onNext("a") }
      scheduler.scheduleAt(220) { text.onError(TestError(name: "control property driver")) }
      return ControlProperty(values: text, valueSink: text).asDriver().map { $0 ?? "nil" }
    }
    #expect(events == [.next(201, "nil"), .next(211, "a"), .completed(221)])
  }
}
