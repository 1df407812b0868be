// 5: compiles
// 6: warns 2: with non-Sendable type
//
// A relay or an observer of elements that are not Sendable, in a closure that may run on any thread.
import Reactive

final class Model { var number = 0 }

func send(
  _ ticks: Observable<Int>, to relay: BehaviorRelay<Model>, and observer: AnyObserver<Model>
) -> [any Disposable] {
  [
    ticks.subscribe(onNext: { _ in relay.accept(Model()) }),
    ticks.subscribe(onNext: { _ in observer.onNext(Model()) }),
  ]
}
