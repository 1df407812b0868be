import Foundation
import Reactive
import TestSupport
import Testing

@MainActor
@Suite(.workerPool) struct RxNamespaceTests {
  @Test func `a type and its values have an rx namespace`() {
    #expect(Lamp.rx.name == "lamp")
    let lamp = Lamp()
    #expect(lamp.rx.base === lamp)
    #expect(lamp.rx.isOn)
    #expect(NSObject().rx.base.isEqual(nil) == false)
  }

  @Test func `a property in the rx namespace is a binder`() {
    let lamp = Lamp()
    let subscription = Observable.of(1, 2).bind(to: lamp.rx.brightness)
    #expect(lamp.brightness == 2)
    subscription.dispose()
  }

  @Test func `a binder of an rx property holds the object weakly`() {
    let subject = PublishSubject<Int>()
    weak var seen: Lamp?
    do {
      let lamp = Lamp()
      seen = lamp
      _ = subject.bind(to: lamp.rx.brightness)
      subject.onNext(1)
      #expect(lamp.brightness == 1)
    }
    #expect(seen == nil)
    subject.onNext(2)
  }

  @Test func `a settable property of the rx namespace can be set`() {
    let lamp = Lamp()
    lamp.rx.isOn = false
    #expect(lamp.brightness == 0)
  }

  @Test func `RxObservable is an alias of Observable`() {
    let observable: RxObservable<Int> = .just(1)
    let same: Observable<Int> = observable
    #expect(same === observable)
  }
}

private final class Lamp: ReactiveCompatible {
  var brightness = 7
}

extension Reactive where Base: Lamp {
  fileprivate static var name: String { "lamp" }

  fileprivate var isOn: Bool {
    get { base.brightness > 0 }
    nonmutating set { base.brightness = newValue ? 7 : 0 }
  }
}
